// Package validation estimates the errors of labels from a few rows that people labelled too, and corrects moments for
// them:
//
//	errors, err := validation.Estimate(names, labels, human)
//	corrected, err := errors.Correct(moments)
//
// Labels are 0 or 1. Errors may depend on the true value of their own column, as sensitivity and specificity say, and on
// nothing else. Then with J = sensitivity + specificity - 1
//
//	E[x*] = (1 - specificity) + J·E[x],   Cov(x*, y*) = Jx·Jy·Cov(x, y),
//
// so that means and covariances of the true values follow from those of the labels. Reference: Fuller, "Measurement error
// models", Wiley 1987, and Grace, "Matrix adjustment methods for misclassification", for the binary case.
//
// Redrawn estimates the errors from a bootstrap sample of the validated rows, for replicates of a corrected table.
package validation
