package provider

import "slices"

// A Source is a published dataset: its origin, its file, and how to read it.
type Source struct {
	Name    string // name of the command, for instance celeba-hq
	Title   string
	Page    string // page of the provider
	File    string // file to download
	Sum     string // SHA-256 of the plain file, if a single file is read; an export with other line ends or names has another
	Shape   string
	Terms   string
	Caveats string
	Cite    string
	Read    ReadFunc
}

// All lists the sources in a fixed order. The caller owns the slice.
func All() []Source {
	return []Source{
		{
			Name:  "celeba",
			Title: "CelebA, binary face attributes",
			Page:  "https://mmlab.ie.cuhk.edu.hk/projects/CelebA.html (MMLAB, CUHK)",
			File:  "Anno/list_attr_celeba.txt, and for the split Eval/list_eval_partition.txt; plain or .gz",
			Sum:   "f0e5da289d5ccf75ffe8811132694922b60f2af59256ed362afa03fefba324d0",
			Shape: "202,599 images × 40 attributes, each -1 or 1",
			Terms: celebATerms,
			Caveats: "rows are not independent (10,177 people, several images each); labels are noisy; no causal ground truth exists " +
				"for these attributes",
			Cite: "Liu, Luo, Wang, Tang: Deep Learning Face Attributes in the Wild, ICCV 2015",
			Read: CelebA,
		},
		{
			Name:  "celeba-hq",
			Title: "CelebAMask-HQ, the same attributes for the 30,000 images of CelebA-HQ",
			Page:  "https://github.com/switchablenorms/CelebAMask-HQ",
			File:  "CelebAMask-HQ-attribute-anno.txt, plain or .gz",
			Sum:   "ec5e4bb1af5cac97612e4a92ba25b658f17bf50af02469fd654e9f304b0dd66c",
			Shape: "30,000 images × 40 attributes, each -1 or 1; a subsample of CelebA",
			Terms: celebATerms + " Its README also asks that attribute labels be requested from the CelebA team.",
			Caveats: "rows are not independent (6,217 people); labels are noisy; no causal ground truth exists for these " +
				"attributes",
			Cite: "Lee, Liu, Wu, Luo: MaskGAN: Towards Diverse and Interactive Facial Image Manipulation, CVPR 2020",
			Read: CelebAHQ,
		},
		{
			Name:  "ffhq",
			Title: "FFHQ features, face scores by a commercial face API",
			Page:  "https://github.com/DCGM/ffhq-features-dataset",
			File:  "the repository's folder json (70,000 files), or a CSV of the same with the header image,smile,pitch,…; plain or .gz",
			Shape: "69,401 faces × 37 scores, 62,606 of them with hair colours; by default 33 columns remain",
			Terms: "CC BY-NC-SA 4.0 (LICENSE.txt of the repository, NVIDIA's FFHQ terms).",
			Caveats: "scores are model outputs, not human labels; smile equals happiness, the eight emotions sum to 1, headwear equals " +
				"hair_invisible",
			Cite: "Karras, Laine, Aila: A Style-Based Generator Architecture for Generative Adversarial Networks, CVPR 2019",
			Read: FFHQ,
		},
		{
			Name:  "sachs",
			Title: "Sachs et al. 2005, protein signalling by flow cytometry",
			Page:  "https://doi.org/10.1126/science.1105809 (supplementary data)",
			File:  "a spreadsheet of the supplement exported as CSV, or all 14 in one CSV with a column condition; plain or .gz",
			Sum:   "f979eea48aa7faeb9a27919593e3ee6d600aa93de997c570ee4d9be02a7e8a16", // header Raf,Mek,Plcg,PIP2,PIP3,Erk,Akt,PKA,PKC,P38,Jnk; condition 1
			Shape: "853 cells × 11 molecules observed; 7,466 in conditions 1 to 9; 11,672 in all 14",
			Terms: "supplementary data of Science 308:523-529; no licence stated with the data files. Repackaged by " +
				"cmu-phil/example-causal-datasets under CC0 1.0. Cite the paper.",
			Caveats: "values are raw fluorescence, heavily skewed; papers disagree on the true network (polydag dataset sachs-edges)",
			Cite:    "Sachs, Perez, Pe'er, Lauffenburger, Nolan: Causal Protein-Signaling Networks Derived from Multiparameter Single-Cell Data, Science 308 (2005)",
			Read:    Sachs,
		},
	}
}

const celebATerms = `"available for non-commercial research purposes only"; "You agree not to further copy, publish or distribute any ` +
	`portion of the CelebA dataset. Except, for internal use at a single site within the same organization it is allowed to make ` +
	`copies of the dataset."`

// Lookup returns the source with the given name.
func Lookup(name string) (Source, bool) {
	all := All()
	k := slices.IndexFunc(all, func(s Source) bool { return s.Name == name })
	if k < 0 {
		return Source{}, false
	}
	return all[k], true
}
