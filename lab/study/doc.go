// Package study runs grids of experiments and turns their records into tables, figures and a report.
//
//	st, err := study.Read(file)                    // or paper.Study()
//	runs, err := st.Expand(study.Select{Quick: true})
//	j, err := study.OpenJournal("out/records.jsonl")
//	err = study.Execute(ctx, runs, j, study.Execution{Jobs: 2})
//	err = study.Write(ctx, "out", st, study.Select{Quick: true}, j.Records(), nil)
//
// A study is a YAML file: data × protocol × method × seed. Each point of the grid is a Run with a key, the hash
// of everything that determines its result. Runs with a record are not run again, so a killed study can be
// resumed, and records of several machines can be concatenated.
//
// Tables, figures and report depend only on the study and its records. Times are in separate tables, because
// only they differ between two executions of the same study.
package study
