// Package onnx runs image models in the ONNX format on the processor:
//
//	model, err := onnx.Read(file)
//	session, err := model.Session(1)
//	out, err := session.Run(&onnx.Tensor{Shape: []int{1, 3, 224, 224}, F: pixels})
//
// It has the operators of common classifiers: convolutional networks such as MobileNet, ResNet and EfficientNet, and
// vision transformers. Numbers are float32. Convolutions are products of package gemm and passes of package vec. Read
// folds batch normalization and activations into the convolutions before them.
//
// A model comes from strangers: Read and Run return an error for a damaged model, and they limit the memory.
//
// Reference: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto and the list of operators there.
package onnx
