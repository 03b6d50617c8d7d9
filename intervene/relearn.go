package intervene

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/method/param"
)

// relearner returns what learns the graph of a resampled table as that of the result was learned: with its method, its settings, what is
// known, and everything that the method left to the data fixed as it was chosen there.
func relearner(res *polydag.Result) (func(context.Context, *polydag.Table) (*polydag.Result, error), error) {
	cfg, err := configOf(res)
	if err != nil {
		return nil, err
	}
	plan, err := confidence.NewPlan(cfg, res)
	if err != nil {
		return nil, err
	}
	if _, err := plan.Config(); err != nil {
		return nil, err
	}
	return func(ctx context.Context, t *polydag.Table) (*polydag.Result, error) {
		cfg, err := plan.Config() // a method of its own for each replicate
		if err != nil {
			return nil, err
		}
		return t.Learn(ctx, cfg, polydag.Run{})
	}, nil
}

// configOf returns the configuration that a result records.
func configOf(res *polydag.Result) (polydag.Config, error) {
	cfg := polydag.DefaultConfig()
	m, err := polydag.FindMethod(res.Method)
	if err != nil {
		return cfg, err
	}
	cfg.Method, cfg.Seed = m, res.Seed
	cfg.Standardize = res.Settings.Get("standardize") == true
	set := param.Of(m)
	for _, it := range set.Items() {
		text, ok := asText(res.Settings.Get(it.Key()))
		if !ok {
			continue // a setting of a later version
		}
		if err := set.Set(it.Name, text); err != nil {
			return cfg, fmt.Errorf("the result records the setting %s = %s, which method %s does not take: %w", it.Name, text, res.Method, err)
		}
	}
	if known := res.Settings.Get("knowledge"); known != nil {
		text, err := json.Marshal(known)
		if err == nil {
			err = json.Unmarshal(text, &cfg.Knowledge)
		}
		if err != nil {
			return cfg, fmt.Errorf("the result records knowledge that cannot be read: %w", err)
		}
	}
	return cfg, cfg.Validate()
}

// asText is a recorded value as it would be typed.
func asText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case int:
		return strconv.Itoa(v), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	}
	return "", false
}
