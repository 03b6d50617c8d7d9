package prepare

import "github.com/polydag/polydag/dataset"

// fill completes the profile p.
func (p *profiler) fill(to *dataset.Profile, chosen []chosenColumn, plan *encodePlan, enc *encoder) {
	p.each(func(j0, j1 int) { p.look(j0, j1, p.have) }, func() {})
	p.have = 0
	to.RepeatedRows, to.RepeatedOf = p.repeats.found, p.repeats.rows
	to.Columns = append(to.Columns, plan.textProfiles(chosen)...)
	infinite := map[string]*columnState{}
	class := map[string]*wordClass{}
	for j, s := range enc.seen {
		class[enc.chosen[j].Name] = s.class
		infinite[enc.chosen[j].Name] = &enc.seen[j]
	}
	for k, o := range plan.outputs {
		c := p.columns[k].profile()
		c.Name = o.name
		from := chosen[o.from]
		if s := infinite[from.Name]; s.infinite > 0 && enc.lenient {
			c.Missing -= s.infinite
			c.Infinite, c.InfiniteRow, c.Place = s.infinite, s.firstInf, from.index+1
		}
		switch how := plan.columns[o.from].how; {
		case how == asOneHot:
			c.Kind, c.From = dataset.Bool.String(), from.Name
		case how == asOrdinal:
			c.Kind = dataset.Text.String()
			if levels := plan.columns[o.from].levels; len(levels) <= levelsShown {
				c.Levels = levels
			} else {
				c.Levels = levels[:levelsShown]
			}
		case from.Kind == dataset.Bool || from.Kind == dataset.Time:
			c.Kind = from.Kind.String()
		case class[from.Name] == dates:
			c.Kind = dataset.Time.String()
		case class[from.Name] != nil && class[from.Name] != times:
			c.Kind = dataset.Bool.String()
		}
		to.Columns = append(to.Columns, c)
	}
}

// textProfiles describes the columns that the plan excludes.
func (p *encodePlan) textProfiles(chosen []chosenColumn) []dataset.ColumnProfile {
	var list []dataset.ColumnProfile
	for j, c := range p.columns {
		if c.how == asNothing {
			l := c.learned
			d := dataset.ColumnProfile{Name: chosen[j].Name, Kind: dataset.Text.String(), Missing: l.missing, Levels: l.sorted(), Dropped: c.dropped}
			d.Distinct = len(d.Levels)
			list = append(list, d)
		}
	}
	return list
}

// leftOut names the columns that the plan excludes, and counts those that have one level.
func (p *encodePlan) leftOut(chosen []chosenColumn) (names []string, single int) {
	for j, c := range p.columns {
		if c.how != asNothing {
			continue
		}
		if names = append(names, chosen[j].Name); len(c.levels) == 1 {
			single++
		}
	}
	return names, single
}

// levelsShown is the number of levels of a column that the profile lists.
const levelsShown = 50
