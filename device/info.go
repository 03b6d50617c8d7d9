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
	Clock      float64 `json:"clock"`              // Hz
	Unusable   string  `json:"unusable,omitempty"` // why it cannot be used
}
