package confidence_test

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
)

func TestZDump(t *testing.T) {
	out := must.Get(os.Create(os.Getenv("XPD_TRUTH")))
	defer out.Close()
	tables := must.Get(strconv.Atoi(os.Getenv("XPD_TABLES")))
	held, violated := designs()
	record := func(name string, edges [][2]string) {
		b := must.Get(json.Marshal(map[string]any{"table": name, "edges": edges}))
		out.Write(append(b, '\n'))
	}
	for group, kinds := range [][]design{held, violated} {
		for k, d := range kinds {
			for _, rows := range d.rows {
				for table := range tables {
					name := fmt.Sprintf("sim%d:%s:%d:%d", group, d.name, rows, table)
					os.Setenv("XPD_TABLE", name)
					truth, drawn := d.draw(t, rows, 77*1_000_000+uint64(10000*group+1000*k+100*table+rows/100))
					cfg := polydag.DefaultConfig()
					res := must.Get(drawn.Learn(context.Background(), cfg, polydag.Run{}))
					var edges [][2]string
					for _, e := range truth.Edges() {
						edges = append(edges, [2]string{res.Names[e.From], res.Names[e.To]})
					}
					record(name, edges)
				}
			}
			t.Log(d.name)
		}
	}
}

func TestZReal(t *testing.T) {
	out := must.Get(os.Create(os.Getenv("XPD_TRUTH")))
	defer out.Close()
	record := func(name string, edges [][2]string) {
		b := must.Get(json.Marshal(map[string]any{"table": name, "edges": edges}))
		out.Write(append(b, '\n'))
	}
	for _, tiered := range tieredTables {
		tiers := readTiers(t, tiered.knowledge+".knowledge.txt.gz")
		opened := must.Get(files.Open(realPath(tiered.file+".txt.gz"), nil, files.DefaultSettings()))
		table := must.Get(polydag.Prepare(context.Background(), opened, polydag.DefaultPreparation()))
		name := "tier:" + tiered.source
		os.Setenv("XPD_TABLE", name)
		must.Get(table.Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{}))
		var edges [][2]string
		for a, x := range tiers {
			for b, y := range tiers {
				if x < y {
					edges = append(edges, [2]string{a, b})
				}
			}
		}
		record(name, edges)
		opened.Close()
	}
	for lines := bufio.NewScanner(openReal(t, "pairs/ground_truth.txt")); lines.Scan(); {
		words := strings.Split(lines.Text(), "\t")
		number := must.Get(strconv.Atoi(strings.TrimPrefix(words[0], "pair")))
		x, ok := readPair(t, fmt.Sprintf("pairs/pair.%d.txt.gz", number))
		if !ok {
			continue
		}
		name := "pair:" + words[len(words)-3] + ":" + words[0]
		os.Setenv("XPD_TABLE", name)
		must.Get(prepared(t, []string{"a", "b"}, x, nil).Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{}))
		e := [2]string{"a", "b"}
		if !strings.Contains(words[len(words)-2], "->") {
			e = [2]string{"b", "a"}
		}
		record(name, [][2]string{e})
	}
	_ = csv.NewReader
}
