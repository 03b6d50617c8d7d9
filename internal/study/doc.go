// Package study runs grids of experiments and turns their records into tables, figures and a report.
//
//	st, err := study.Read(file)                    // or paper.Study()
//	runs, err := st.Expand(study.Select{Quick: true})
//	j, err := study.OpenJournal("out/records.jsonl")
//	err = study.Execute(ctx, runs, j, study.Execution{Jobs: 2})
//	err = study.Write(ctx, "out", st, study.Select{Quick: true}, j.Records(), nil)
//
// A study is a YAML file: data × protocol × method × seed. Each point of the grid is a Run with a key, the hash of everything that
// decides its result. Runs whose key has a record are not run again, so a study that was killed at any
// moment goes on where it stopped, and records of several machines can be put together with cat.
//
// Tables, figures and report are functions of the study and its records only: no clock, no machine, no random
// number has a part in them. Times stand in tables of their own, since they are all that differs between two
// executions of the same study.
package study
