package device

// Info is what is known of a device.
type Info struct {
	Index      int     `json:"index"`
	Name       string  `json:"name"`
	Driver     string  `json:"driver"`     // the newest version of CUDA that the driver knows
	Capability string  `json:"capability"` // of the card
	Memory     int64   `json:"memory"`     // bytes
	Free       int64   `json:"free,omitempty"`
	Processors int     `json:"processors"`
	Clock      float64 `json:"clock"`               // Hz
	Bandwidth  float64 `json:"bandwidth,omitempty"` // of its memory, bytes a second; 0 where the driver does not say
	Unusable   string  `json:"unusable,omitempty"`  // why it cannot be used
}

// Listing is what was found on a machine.
type Listing struct {
	Devices []Info `json:"devices"`
	Reason  string `json:"reason,omitempty"` // why there are none
}

// Peak returns the most operations a second, an addition or a multiplication each, that the card can do outside its tensor units: 128 fused
// operations in each clock of a processor, half as many in double precision. Cards for games have far fewer in double.
func (i Info) Peak(bits int) float64 {
	fused := 128.0
	if bits == 64 {
		fused = 64
	}
	return 2 * fused * float64(i.Processors) * i.Clock
}

// Share is one launch of a step: what it takes by itself, and what it has to do.
type Share struct {
	Name     string  `json:"name"`
	Seconds  float64 `json:"seconds"`
	Products int     `json:"products,omitempty"`
	Flops    float64 `json:"flops,omitempty"`
	Bytes    float64 `json:"bytes"`
}

// Profile times the launches of a step of so many problems on the device.
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
