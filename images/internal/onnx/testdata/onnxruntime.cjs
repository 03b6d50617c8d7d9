// Runs the models of a folder with onnxruntime and prints their outputs as JSON: node onnxruntime.cjs DIR '{"model": [1, 3, 8, 8]}'
const ort = require('onnxruntime-node');

(async () => {
  const [dir, shapes] = process.argv.slice(2);
  const lines = [];
  for (const [name, shape] of Object.entries(JSON.parse(shapes)).sort()) {
    const session = await ort.InferenceSession.create(`${dir}/${name}.onnx`, { intraOpNumThreads: 1 });
    const x = Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(i * 0.01));
    const out = await session.run({ input: new ort.Tensor('float32', x, shape) });
    lines.push(`${JSON.stringify(name)}: [${Array.from(out.output.data, v => Number(v.toPrecision(8))).join(', ')}]`);
  }
  console.log('{\n' + lines.join(',\n') + '\n}');
})();
