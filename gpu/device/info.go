package device

// Info describes a device.
type Info struct {
	Index      int     `json:"index"`
	Name       string  `json:"name"`
	Driver     string  `json:"driver"`     // newest CUDA version that the driver supports
	Capability string  `json:"capability"` // compute capability
	Memory     int64   `json:"memory"`     // bytes
	Free       int64   `json:"free,omitempty"`
	Processors int     `json:"processors"`
	Clock      float64 `json:"clock"`               // Hz
	Bandwidth  float64 `json:"bandwidth,omitempty"` // memory bandwidth in bytes per second; 0 if unknown
	Unusable   string  `json:"unusable,omitempty"`  // reason why it cannot be used
}

// Listing is the list of devices of a machine.
type Listing struct {
	Devices []Info `json:"devices"`
	Reason  string `json:"reason,omitempty"` // reason why there are none
}

// Peak returns the largest number of additions or multiplications per second without tensor units. It assumes
// 128 fused operations per clock and multiprocessor, and half as many in double precision. Consumer GPUs have
// far fewer in double precision.
func (i Info) Peak(bits int) float64 {
	fused := 128.0
	if bits == 64 {
		fused = 64
	}
	return 2 * fused * float64(i.Processors) * i.Clock
}

// Share is one launch of a step, with its time and its work.
type Share struct {
	Name     string  `json:"name"`
	Seconds  float64 `json:"seconds"`
	Products int     `json:"products,omitempty"`
	Flops    float64 `json:"flops,omitempty"`
	Bytes    float64 `json:"bytes"`
}

// Profile measures the launches of a step of p.Batch problems.
func (d *Device) Profile(p Problem) ([]Share, error) {
	reply, err := d.ask(&Request{Op: OpOpen, Problem: &p})
	if err != nil {
		return nil, err
	}
	session := reply.Session
	reply, err = d.ask(&Request{Op: OpProfile, Session: session})
	if err != nil {
		return nil, err
	}
	_, err = d.ask(&Request{Op: OpClose, Session: session})
	return reply.Shares, err
}
