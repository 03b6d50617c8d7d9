package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
)

// FFHQFolder reads the provider's JSON files, one per image, from fsys or its folder json, in the order of
// their names, and continues as FFHQ. It skips images without a face or with two. Yes and no become 1 and 0;
// glasses is 1 for every kind of glasses; an accessory is 1 if the file lists it. It returns the cause of ctx
// soon after ctx has ended.
func FFHQFolder(ctx context.Context, fsys fs.FS, opt Settings) (*dataset.NamedRows, []string, error) {
	if err := opt.Validate(); err != nil {
		return nil, nil, err
	}
	f := &findings{file: named(opt.File), want: "the folder json of the FFHQ features", force: opt.Force}
	files, err := jsonFiles(fsys)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.file, err)
	}
	if len(files) == 0 {
		return nil, nil, fmt.Errorf("%s holds no .json file; expected %s, 00000.json to 69999.json", f.file, f.want)
	}
	g := &grid{names: slices.Clone(ffhqNames)}
	none, several := 0, 0
	for _, file := range files {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		text, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.file, err)
		}
		var faces []struct{ FaceAttributes *faceAttributes }
		if err := json.Unmarshal(text, &faces); err != nil {
			return nil, nil, fmt.Errorf("%s: %s is not a list of faces in JSON; expected %s", f.file, file, f.want)
		}
		switch {
		case len(faces) == 0:
			none++
			continue
		case len(faces) > 1:
			several++
			continue
		case faces[0].FaceAttributes == nil:
			return nil, nil, fmt.Errorf("%s: %s: the face has no faceAttributes", f.file, file)
		}
		g.value = append(g.value, faces[0].FaceAttributes.scores()...)
		g.rows++
	}
	f.notef("%s files: %s images with one face, %s with none and %s with several left out", count(len(files)), count(g.rows), count(none), count(several))
	return ffhqTable(g, opt, f)
}

func jsonFiles(fsys fs.FS) ([]string, error) {
	for _, folder := range []string{".", "json"} {
		entries, err := fs.ReadDir(fsys, folder)
		if err != nil {
			if folder == "json" {
				return nil, nil
			}
			return nil, err
		}
		var files []string
		for _, e := range entries { // sorted by name
			if !e.IsDir() && strings.HasSuffix(e.Name(), ".json") {
				files = append(files, path.Join(folder, e.Name()))
			}
		}
		if files != nil {
			return files, nil
		}
	}
	return nil, nil
}

// faceAttributes is the stored answer of the face API. JSON field names are matched without case.
type faceAttributes struct {
	Smile    float64
	HeadPose struct{ Pitch, Roll, Yaw float64 }
	Gender   string
	Age      float64

	FacialHair struct{ Moustache, Beard, Sideburns float64 }
	Glasses    string
	Emotion    struct{ Anger, Contempt, Disgust, Fear, Happiness, Neutral, Sadness, Surprise float64 }

	Blur, Exposure, Noise struct{ Value float64 }

	Makeup      struct{ EyeMakeup, LipMakeup bool }
	Accessories []struct{ Type string }
	Occlusion   struct{ ForeheadOccluded, EyeOccluded, MouthOccluded bool }
	Hair        struct {
		Bald      float64
		Invisible bool
		HairColor []struct {
			Color      string
			Confidence float64
		}
	}
}

// scores returns the values of ffhqNames; missing hair colors are NaN.
func (a *faceAttributes) scores() []float64 {
	wears := func(kind string) float64 {
		return one(slices.ContainsFunc(a.Accessories, func(x struct{ Type string }) bool { return x.Type == kind }))
	}
	p, h, e, o := a.HeadPose, a.FacialHair, a.Emotion, a.Occlusion
	out := []float64{
		a.Smile, p.Pitch, p.Roll, p.Yaw, one(a.Gender == "male"), a.Age, h.Moustache, h.Beard, h.Sideburns,
		e.Anger, e.Contempt, e.Disgust, e.Fear, e.Happiness, e.Neutral, e.Sadness, e.Surprise,
		a.Blur.Value, a.Exposure.Value, a.Noise.Value, one(a.Makeup.EyeMakeup), one(a.Makeup.LipMakeup),
		one(a.Glasses != "NoGlasses"), one(a.Glasses == "Sunglasses"), wears("headwear"), wears("mask"),
		one(o.ForeheadOccluded), one(o.EyeOccluded), one(o.MouthOccluded), a.Hair.Bald, one(a.Hair.Invisible),
	}
	for _, name := range ffhqColours {
		v := math.NaN()
		for _, c := range a.Hair.HairColor {
			if "hair_"+c.Color == name {
				v = c.Confidence
			}
		}
		out = append(out, v)
	}
	return out
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
