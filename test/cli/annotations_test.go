package cli_test

// annotationFiles has two annotated images in each format that polydag dataset reads.
var annotationFiles = map[string]string{
	"ADE20K_2016_07_26/a_atr.txt":                          "001 # 0 # 0 # sky # sky # \"\"\n002 # 0 # 0 # tree # tree # \"\"\n",
	"ADE20K_2016_07_26/b_atr.txt":                          "001 # 0 # 0 # sky # sky # \"\"\n",
	"Animals_with_Attributes2/classes.txt":                 "1\tantelope\n2\tbear\n",
	"Animals_with_Attributes2/predicates.txt":              "1\tblack\n2\tbig\n",
	"Animals_with_Attributes2/predicate-matrix-binary.txt": "0 1\n1 1\n",
	"CUB_200_2011/images.txt":                              "1 a.jpg\n2 b.jpg\n",
	"CUB_200_2011/attributes.txt":                          "1 has_bill\n2 has_wing\n",
	"CUB_200_2011/attributes/image_attribute_labels.txt":   "1 1 1 3 2\n1 2 0 3 2\n2 1 1 3 2\n2 2 1 3 2\n",
	"instances_val2017.json":                               `{"images":[{"id":1,"file_name":"a"},{"id":2,"file_name":"b"}],"annotations":[{"image_id":1,"category_id":1},{"image_id":2,"category_id":2}],"categories":[{"id":1,"name":"cat"},{"id":2,"name":"dog"}]}`,
	"annotations.xml":                                      `<annotations><image name="a" width="9" height="9"><tag label="cat"/></image><image name="b" width="9" height="9"><tag label="dog"/></image></annotations>`,
	"lfw_attributes.txt":                                   "#\tperson\timagenum\tMale\tYoung\nA B\t1\t0.5\t1\nC D\t1\t-1\t1\n",
	"validation-annotations-human-imagelabels.csv":         "ImageID,Source,LabelName,Confidence\na,verification,/m/1,1\nb,verification,/m/2,1\n",
	"class-descriptions.csv":                               "/m/1,Cat\n/m/2,Dog\n",
	"objects.json":                                         `[{"image_id":1,"objects":[{"names":["cat"]}]},{"image_id":2,"objects":[{"names":["dog"]}]}]`,
	"VOC2012/Annotations/a.xml":                            "<annotation><object><name>cat</name></object></annotation>",
	"VOC2012/Annotations/b.xml":                            "<annotation><object><name>dog</name></object></annotation>",
	"labels/classes.txt":                                   "cat\ndog\n",
	"labels/a.txt":                                         "0 0.5 0.5 0.1 0.1\n",
	"labels/b.txt":                                         "1 0.5 0.5 0.1 0.1\n",
}
