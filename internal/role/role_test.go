package role_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/role"
)

// A word in brackets is a category of the column before; [n] is its number of distinct values.
func columnsOf(text string) (columns []role.Column) {
	for _, w := range strings.Fields(text) {
		name, in, _ := strings.Cut(strings.TrimSuffix(w, "]"), "[")
		c := role.Column{Name: name}
		if in == "2" || in == "4" || in == "50" {
			c.Distinct = map[string]int{"2": 2, "4": 4, "50": 50}[in]
		} else if in != "" {
			c.Categories = strings.Split(in, ",")
			c.Distinct = len(c.Categories)
		}
		columns = append(columns, c)
	}
	return columns
}

// The role of a column depends on its name and on the other columns.
func TestTraps(t *testing.T) {
	for _, c := range []struct{ table, want string }{
		// Survival: the time belongs to the event.
		{"time[50] status[2] age sex trt", "outcome outcome given given treatment"},
		{"futime[50] death[2] age", "outcome outcome given"},
		{"days[50] cens[2] group age sex", "outcome outcome unknown given given"},
		{"month[50] event[2] age", "unknown unknown given"},
		{"week[50] arrest[2] age race", "unknown response given given"},
		{"time[50] weight[50] Chick Diet[4]", "given response unknown given"},
		{"time[50] income age", "unknown state given"},
		{"dist[50] climb[50] time[50]", "unknown unknown response"},
		{"race_time[50] race_number", "unknown unknown"},
		{"wait_time[50] study_time[50] status[2]", "unknown unknown unknown"},
		{"status duration[50] credit_amount age", "unknown unknown unknown given"},
		{"diagtime time[50] status[2] celltype age", "early outcome outcome state given"},
		// Age and sex.
		{"age_at_death[50] sex", "outcome given"},
		{"age_first_birth sex", "unknown given"},
		{"age_at_marriage age_at_diagnosis age", "unknown given given"},
		{"sex_ratio gender_gap pct_female income", "unknown unknown unknown state"},
		{"black[50] murder", "unknown response"},
		{"black[2] wage", "given state"},
		{"wife_age hh_head_sex wife-education ageSquared agecat age2", "given given early given given given"},
		{"usage garage percentage message wages", "unknown state unknown unknown state"},
		{"age strength cement", "given response unknown"},
		{"sex rings length", "given unknown unknown"},
		{"sexual_orientation race_attitude gender_role", "unknown unknown unknown"},
		// Status, state and class.
		{"status[married,single,divorced] income", "life state"},
		{"status[dead,alive] age", "outcome given"},
		{"status[open,closed] price", "unknown response"},
		{"state[on,off] rpm failure[2]", "unknown unknown outcome"},
		{"state[a,b,c,d,e,f,g,h] income age", "given state given"},
		{"class school_type V1", "unknown unknown unknown"},
		{"Species[setosa,virginica] Sepal.Length", "given unknown"},
		// Grades of tumours and of pupils.
		{"grade size[50] nodes age rectime[50] recur[2]", "state state state given outcome outcome"},
		{"grade school sex G1 G3", "unknown unknown given response outcome"},
		{"grade price sqft_living", "unknown response state"},
		// Price, rating, sales.
		{"price sales advertising", "unknown response unknown"},
		{"price quantity income", "unknown unknown state"},
		{"rating price brand", "unknown unknown unknown"},
		{"rating complaints privileges", "response unknown unknown"},
		{"murder[50] theft[50]", "response response"},
		{"SalePrice YearBuilt Neighborhood", "response given given"},
		{"sales assets employees country", "unknown state unknown given"},
		// Weight.
		{"weight height sex", "state early given"},
		{"weight feed[a,b,c]", "response given"},
		{"weight mpg cylinders", "unknown response state"},
		{"sampling_weight age", "unknown given"},
		{"bwt[50] smoke lwt age ht[2]", "response life unknown given unknown"},
		// Treatment by chance, by a doctor, and as a number.
		{"treatment[2] age sex death[2]", "treatment given given outcome"},
		{"treatment[placebo,drug] age sex baseline_bp", "given given given state"},
		{"status[2] event[2] time[50] loan_amount", "outcome outcome outcome unknown"},
		{"conc uptake Treatment[chilled,nonchilled]", "given response given"},
		{"dose[4] len", "given unknown"},
		{"dose Time conc", "given given response"},
		// Illness.
		{"age chol stroke[2]", "given state response"},
		{"diabetes[2] heart_disease[2] age sex", "state response given given"},
		{"prevalentStroke[2] TenYearCHD[2] age", "state response given"},
		{"stroke bore horsepower", "unknown unknown state"},
		{"default[2] y[2] job", "unknown response life"},
		{"default[2] income", "outcome state"},
		{"mother_education fatheduc education", "given given early"},
		{"school exper wage sex", "early life response given"},
		{"x y z", "unknown unknown unknown"},
		{"Young[2] Male[2] Smiling[2]", "given given unknown"},
		{"region=south[2] region=west[2] sex=male[2]", "given given given"},
		{"region_south[2] region_blue[2] other_x[2]", "given given unknown"},
		{"color_blind[2] month_spend", "unknown unknown"},
		{"Population[50] Murder[50] LifeExp[50]", "unknown response response"},
		// Other languages.
		{"Alter Geschlecht Familienstand Einkommen Kaufpreis", "given given life state response"},
		{"âge sexe niveau_études état_civil décès", "given given early life outcome"},
		{"edad sexo ingreso_mensual fecha_nacimiento muerte", "given given state given outcome"},
		{"idade sexo escolaridade renda preço", "given given early state response"},
		{"患者年龄 性别 教育程度 收入 死亡", "given given early state outcome"},
		{"年齢 性別 学歴 年収 価格", "given given early state response"},
	} {
		var got []string
		for _, r := range role.Read(columnsOf(c.table)) {
			got = append(got, r.Role.String())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s:\n  %s, want\n  %s", c.table, strings.Join(got, " "), c.want)
		}
	}
}

func TestOdds(t *testing.T) {
	for _, c := range []struct{ table, reason string }{ // the first of two columns comes first
		{"age thickness", "age comes first by its name"},
		{"visits_x death", "death comes last by its name"},
		{"education income", "education comes before income by their names"},
		{"age sex", ""},
		{"vehicle_year airbag", "year of a thing comes first by its name"},
		{"VehicleYear SocioEcon", ""},
		{"VehicleYear income", ""},
		{"Theft ThisCarCost", ""},
		{"urban theft", "residence comes first by its name"},
		{"sex urban", "sex comes before residence by their names"},
		{"bmi blood_pressure", "body comes before blood and vital signs by their names"},
		{"nodes hormone", "tumour comes before treatment by their names"},
		{"nodes trt", ""},
		{"relapse death", "relapse comes before death by their names"},
		{"something else", ""},
		{"prewt postwt", "it was measured earlier by its name"},
		{"re74 re78", "it was measured earlier by its name"},
		{"week1_pain week4_pain", ""},
		{"previous_income income", "it was measured earlier by its name"},
		{"sales(t-1) sales", ""},
		{"age(t-1) sales", ""},
	} {
		r := role.Read(columnsOf(c.table))
		odds, reason := r.Odds(0, 1)
		if reason != c.reason || (odds > 0) != (reason != "") {
			t.Errorf("%s: %v, %q, want %q", c.table, odds, reason, c.reason)
		}
	}
	r := role.Read(columnsOf("treatment[2] pre_score post_score age sex"))
	if odds, _ := r.Odds(0, 2); !(odds > 0) {
		t.Errorf("the treatment comes before what was measured after it, but the log odds are %v", odds)
	}
	if odds, _ := r.Odds(0, 1); odds != 0 {
		t.Errorf("log odds %v of a treatment and what was measured before", odds)
	}
	r = role.Read(columnsOf("treatment[placebo,drug] baseline_bp bp"))
	if odds, _ := r.Odds(0, 1); odds != 0 {
		t.Errorf("log odds %v of a treatment by chance and what was measured before", odds)
	}
	if odds, _ := r.Odds(0, 2); !(odds > 0) {
		t.Errorf("log odds %v of a treatment by chance and what was measured after", odds)
	}
}

// The label of a column is read if its name says nothing.
func TestLabel(t *testing.T) {
	r := role.Read([]role.Column{{Name: "V1", Label: "Age of respondent in years"}, {Name: "V2", Label: "Highest degree"}, {Name: "age", Label: "Income"}, {Name: "V4", Label: "Number of siblings"}})
	for j, want := range []role.Role{role.Given, role.Early, role.Given, role.Given} {
		if r[j].Role != want {
			t.Errorf("column %d: %v (%s), want %v", j, r[j].Role, r[j].Meaning, want)
		}
	}
}

// The odds do not depend on the order of the columns, are antisymmetric, and have no cycles among sure claims.
func TestOddsAreConsistent(t *testing.T) {
	words := strings.Fields("age sex race time[50] status[2] event[2] death[2] treatment[2] dose weight height price sales quantity income wage education school exper grade size nodes stage y x low bwt smoke region city month temp count stroke[2] diabetes[2] prewt postwt G3 rating group[2] state conc default[2] left status[married,single] pct_female health")
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		columns := columnsOf(strings.Join(words[:8], " "))
		r := role.Read(columns)
		other := slices.Clone(columns)
		slices.Reverse(other)
		back := role.Read(other)
		for i := range columns {
			for j := range columns {
				odds, reason := r.Odds(i, j)
				if o, s := r.Odds(j, i); o != -odds || s != reason {
					t.Fatalf("%v: %v %q and %v %q", columns, odds, reason, o, s)
				}
				if o, s := back.Odds(7-i, 7-j); o != odds || s != reason {
					t.Fatalf("%v: %s and %s have %v %q, and %v %q in the other order of columns", words[:8], columns[i].Name, columns[j].Name, odds, reason, o, s)
				}
				for k := range columns {
					a, _ := r.Odds(j, k)
					if b, _ := r.Odds(k, i); odds > 0 && a > 0 && b > 0 {
						t.Fatalf("a cycle: %s, %s, %s", columns[i].Name, columns[j].Name, columns[k].Name)
					}
				}
			}
		}
	}
}

func TestColumns(t *testing.T) {
	got := role.Columns([]string{"s", "age"}, []dataset.Variable{{Name: "s", Words: []string{"male", "female"}, Levels: 2}, {Name: "age", Levels: 80}})
	if r := role.Read(got); len(r) != 2 || r[0].Role != role.Given || r[0].Meaning != "sex" || r[1].Meaning != "age" {
		t.Errorf("%v", r)
	}
	if r := role.Read(nil); len(r) != 0 {
		t.Errorf("%v of no columns", r)
	}
	if r := role.Read([]role.Column{{}, {Name: "_"}}); r[0].Role != role.Unknown || r[1].Role != role.Unknown {
		t.Errorf("%v of empty names", r)
	}
}

func TestSuggestions(t *testing.T) {
	r := role.Read(columnsOf("age treatment[2] status[a,b] death[2] city[a,b] other"))
	var got []string
	for _, s := range r.Suggestions() {
		got = append(got, []string{"leaf", "root"}[map[bool]int{true: 1}[s.Root]], s.If)
	}
	if want := "root it was assigned at random leaf it is the end of what was observed root people did not choose it"; strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", strings.Join(got, " "), want)
	}
	if got := r.In(role.Given, role.Outcome); !slices.Equal(got, []int{0, 3}) {
		t.Errorf("sure columns %v", got)
	}
}
