// Package jetstream runs units of work on many machines by NATS JetStream.
//
//	c, err := jetstream.Connect(ctx, jetstream.Connection{URL: "nats://host:4222"})
//	err = c.Run(ctx, job, each)                          // a work.Runner: submits, waits, collects
//	err = c.Work(ctx, jetstream.Worker{Handlers: h, Jobs: 2}) // on any number of machines
//	list, err := c.List(ctx)                             // what runs, how far, by whom, what failed
//
// The server stores:
//
//	stream POLYDAG_WORK      polydag.work.JOB.UNIT     a work queue; a unit leaves it when it is acknowledged
//	stream POLYDAG_RESULT    polydag.result.JOB.UNIT   the first outcome of a unit stays, a second one is refused
//	bucket polydag-jobs      JOB                       what the job is and which program it is for
//	bucket polydag-trouble   JOB.UNIT                  errors of a unit, and whether it was set aside
//	bucket polydag-workers   WORKER                    who is there; forgotten after a few seconds of silence
//	objects polydag-inputs   SHA-256                   tables and shards
//
// Nothing is lost. An outcome is stored before its unit is acknowledged, so a unit that left the queue has an
// outcome. If a server loses either, the submitter finds an empty queue and missing outcomes, and submits those
// units again. Nothing is counted twice: outcomes have the name of their unit, and the submitter takes the
// first. If a submitter dies, the same submission finds the job by its hash and continues.
//
// A unit runs at least once, which is sufficient because units are pure (package work).
package jetstream
