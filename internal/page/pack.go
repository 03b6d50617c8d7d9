package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
)

// packFrom is the size in bytes from which the data of a page are compressed: curves and effects of hundreds of columns
// take megabytes. Smaller data stay readable in the file.
const packFrom = 256 << 10

// pack returns data of packFrom bytes or more as a JSON string: gzip in base64, which web/src/unpack.ts reads. It returns
// others unchanged.
func pack(data []byte) ([]byte, error) {
	if len(data) < packFrom {
		return data, nil
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return json.Marshal(base64.StdEncoding.EncodeToString(b.Bytes()))
}
