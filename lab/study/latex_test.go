package study

import (
	"testing"

	"github.com/polydag/polydag/internal/must"
)

func TestLaTeX(t *testing.T) {
	table := &TextTable{
		Name: "main", Title: "h(W_τ) at 100 %",
		Header: []string{"data", "method", "**SHD, ours**", "F1"},
		Rows:   [][]string{{"d = 100", "NOTEARS (h_exp)", "**114.7 ± 15.6**", "–"}, {"A & B_c", "A → B", "−2", "3e-05"}},
		Notes:  []string{"K < d"},
	}
	must.Same(t, must.Text(t, table.LaTeX), `% Written by polydag reproduce. Needs \usepackage{booktabs}.
\begin{table}
  \centering
  \caption{$h(W_\tau)$ at 100 \%.}
  \label{tab:main}
  \begin{tabular}{llrr}
    \toprule
    data & method & \textbf{SHD, ours} & F1 \\
    \midrule
    d = 100 & NOTEARS ($h_{\mathrm{exp}}$) & \textbf{114.7 $\pm$ 15.6} & -- \\
    A \& B\_c & A $\rightarrow$ B & $-$2 & 3e-05 \\
    \bottomrule
  \end{tabular}

  K < d
\end{table}
`)
}
