// Two examples: the graph of the simulated table of package internal/demo, and a small time series that is made here, the same at each visit.

export const demoTruth = [
  ['mist', 'moss'], ['mist', 'guests_today'], ['mist', 'dry_soil'], ['mist', 'ice_cream_scoops'], ['light', 'moss'], ['light', 'lamps_lit'], ['light', 'guests_today'], ['dry_soil', 'mushroom'], ['guests_today', 'ice_cream_scoops'],
].map(([from, to]) => ({ from: from!, to: to! }))

// series is 400 days: wind and sun act on what power costs, and both on their next day.
export function series(): File {
  let s = 20260101
  const uniform = () => (s = (s * 48271) % 2147483647) / 2147483647 // Park and Miller 1988
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
  const rows = ['day,wind,sun,temperature,power_price,river_level']
  let [wind, sun, heat, price, river] = [0, 0, 0, 0, 0]
  for (let day = 1; day <= 420; day++) {
    const [w, u, t] = [wind, sun, heat]
    wind = 0.6 * w + normal()
    sun = 0.4 * u - 0.5 * w + normal()
    heat = 0.5 * t + 0.6 * u + 0.8 * normal()
    price = 0.3 * price - 0.7 * wind - 0.4 * u - 0.3 * t + 0.7 * normal()
    river = 0.7 * river + 0.5 * w - 0.3 * t + 0.6 * normal()
    if (day > 20) rows.push([day - 20, 6 + 2 * wind, 5 + 1.5 * sun, 12 + 4 * heat, 60 + 12 * price, 240 + 20 * river].map((v, k) => (k === 0 ? v : v.toFixed(2))).join(','))
  }
  return new File([`${rows.join('\n')}\n`], 'weather.csv', { type: 'text/csv' })
}
