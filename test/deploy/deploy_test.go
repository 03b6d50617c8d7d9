// Package deploy_test compares the files of the folder deploy with the flags of the command, and runs what one machine can run of them.
package deploy_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/cmd/wings"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"

	"github.com/polydag/polydag/cluster/commands"
	"github.com/polydag/polydag/cluster/hub/server"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"polydag-hub": func() {
			os.Exit(commands.Hub(context.Background(), server.Serve, lab.All, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, wings.All...))
		},
		"polydag": func() {
			os.Exit(command.Run(context.Background(), lab.All, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, wings.All...))
		},
	})
}

// flagsKnown refuses a command line with a command or a flag that polydag does not have, or a value that a flag does not take.
func flagsKnown(args []string) error {
	root := command.Tree(lab.All, wings.All...)
	if len(args) > 0 && strings.HasPrefix(args[0], "-") { // only the hub has no commands
		root = command.Programs(wings.All...)[0]
	}
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if !cmd.HasParent() && cmd.Name() != "polydag-hub" {
		return fmt.Errorf("%q is no command", args)
	}
	for i, a := range rest { // values that Kubernetes fills in
		rest[i] = strings.NewReplacer("$(POD_NAME)", "pod").Replace(a)
	}
	return cmd.ParseFlags(rest)
}

// A manifest is the part of a document that the tests read. The release check compares all fields with the types of Kubernetes.
type manifest struct {
	Kind string
	Spec struct {
		Selector struct {
			MatchLabels map[string]string `yaml:"matchLabels"`
		}
		Template struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct {
				Volumes    []struct{ Name string }
				Containers []struct {
					Command, Args []string
					VolumeMounts  []struct{ Name string } `yaml:"volumeMounts"`
				}
			}
		}
		VolumeClaimTemplates []struct {
			Metadata struct{ Name string }
		} `yaml:"volumeClaimTemplates"`
	}
}

// A manifest starts polydag with flags that it has, selects its own pods and mounts volumes that it has.
func TestManifests(t *testing.T) {
	files, err := filepath.Glob("../../deploy/kubernetes/*.yaml")
	if err != nil || len(files) < 2 {
		t.Fatalf("%v, %v", files, err)
	}
	started := map[string]int{}
	for _, file := range files {
		text := must.Get(os.ReadFile(file))
		for i, doc := range bytes.Split(text, []byte("\n---\n")) {
			at := fmt.Sprintf("%s, document %d", filepath.Base(file), i+1)
			var m manifest
			if err := yaml.Unmarshal(doc, &m); err != nil {
				t.Fatalf("%s: %v", at, err)
			}
			if m.Kind != "StatefulSet" && m.Kind != "Deployment" {
				continue
			}
			pod := &m.Spec.Template
			for k, v := range m.Spec.Selector.MatchLabels {
				if pod.Metadata.Labels[k] != v {
					t.Errorf("%s: the selector %s=%s does not find its own pods", at, k, v)
				}
			}
			volumes := map[string]bool{}
			for _, v := range pod.Spec.Volumes {
				volumes[v.Name] = true
			}
			for _, v := range m.Spec.VolumeClaimTemplates {
				volumes[v.Metadata.Name] = true
			}
			for _, c := range pod.Spec.Containers {
				started[m.Kind]++
				if len(c.Command) != 1 || c.Command[0] != "polydag" && c.Command[0] != "polydag-hub" {
					t.Errorf("%s: the command is %q", at, c.Command)
				}
				if err := flagsKnown(c.Args); err != nil {
					t.Errorf("%s: polydag %s: %v", at, strings.Join(c.Args, " "), err)
				}
				for _, v := range c.VolumeMounts {
					if !volumes[v.Name] {
						t.Errorf("%s: there is no volume %s", at, v.Name)
					}
				}
			}
		}
	}
	if started["StatefulSet"] == 0 || started["Deployment"] == 0 {
		t.Errorf("containers of the manifests: %v, want some of a StatefulSet and of a Deployment", started)
	}
}

// The test above notices a flag and a command that do not exist.
func TestFlagsAreReallyChecked(t *testing.T) {
	for _, args := range [][]string{{"worker", "--job=2"}, {"labor"}, {"worker", "--jobs=many"}} {
		if err := flagsKnown(args); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}

// The script of a Slurm array, with the variables that Slurm sets, works for a hub on this machine and ends by itself.
func TestSlurmScript(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		must.Missing(t, "no sh on this machine: the script is one for a shell")
	}
	script := must.Get(filepath.Abs("../../deploy/slurm/workers.sh"))
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	at := l.Addr().String()
	l.Close()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	run := func(name string, args ...string) *exec.Cmd {
		c := exec.CommandContext(ctx, name, args...)
		c.Dir = dir
		return c
	}
	hub := run("polydag-hub", "--store", "store", "--listen", at, "--token-file", "token", "--quiet")
	must.Succeed(t, hub.Start())
	defer hub.Process.Kill()
	var token []byte
	for len(token) == 0 && ctx.Err() == nil {
		token, _ = os.ReadFile(filepath.Join(dir, "token")) // it is made when the hub starts
		time.Sleep(20 * time.Millisecond)
	}
	address := "nats://" + strings.TrimSpace(string(token)) + "@" + at
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "address"), []byte(address), 0o600))
	var said bytes.Buffer
	workers := run(shell, script)
	workers.Env = append(os.Environ(), "POLYDAG_NATS_FILE=address", "SLURM_CPUS_PER_TASK=1", "SLURM_ARRAY_JOB_ID=7", "SLURM_ARRAY_TASK_ID=3", "SLURM_MEM_PER_NODE=1024", "WORKER_IDLE=3s")
	workers.Stdout, workers.Stderr = &said, &said
	must.Succeed(t, workers.Start())
	for _, args := range [][]string{
		{"simulate", "--nodes", "6", "--rows", "100", "--output", "data.csv", "--truth", "truth.csv"},
		{"moments", "data.csv", "--nats-file", "address", "--set", "nats-wait=1m", "--output", "there.npz"},
		{"moments", "data.csv", "--output", "here.npz"},
	} {
		if out, err := run("polydag", args...).CombinedOutput(); err != nil {
			t.Fatalf("polydag %v: %v\n%s", args[0], err, out)
		}
	}
	here, err1 := os.ReadFile(filepath.Join(dir, "here.npz"))
	there, err2 := os.ReadFile(filepath.Join(dir, "there.npz"))
	if err1 != nil || err2 != nil || !bytes.Equal(here, there) {
		t.Errorf("%v, %v: the moments differ", err1, err2)
	}
	if err := workers.Wait(); err != nil || strings.Contains(said.String(), strings.TrimSpace(string(token))) {
		t.Errorf("%v\n%s", err, said.String())
	}
}
