// Tables for pages of models without slopes, the same at every run.

// random is a small generator of numbers from 0 to 1 (Park and Miller 1988).
function random(seed: number): () => number {
  let s = seed
  return () => (s = (s * 48271) % 2147483647) / 2147483647
}

function rows(head: string, n: number, row: (r: () => number) => (string | number)[]): string {
  const r = random(7)
  return [head, ...Array.from({ length: n }, () => row(r).join(',')), ''].join('\n')
}

const normal = (r: () => number) => Math.sqrt(-2 * Math.log(r())) * Math.cos(2 * Math.PI * r())

// levelTable has words and 0 and 1: the season decides rain, both decide the crop, and rain whether the street is wet.
export function levelTable(): string {
  const seasons = ['dry', 'mild', 'wet']
  const crops = ['fair', 'poor', 'rich']
  return rows('season,rain,crop,street', 1500, (r) => {
    const s = Math.floor(3 * r())
    const rain = r() < [0.15, 0.45, 0.8][s]! ? 1 : 0
    const crop = r() < 0.6 ? (s + rain) % 3 : Math.floor(3 * r())
    return [seasons[s]!, rain, crops[crop]!, (r() < 0.9) === (rain === 1) ? 1 : 0]
  })
}

// mixedTable has text and numbers.
export function mixedTable(): string {
  const cities = ['Graz', 'Linz', 'Wien']
  return rows('city,age,pay,plan', 1200, (r) => {
    const c = Math.floor(3 * r())
    const age = 20 + 40 * r()
    const pay = 10 * c * c + 0.8 * age + 4 * normal(r)
    const plan = r() < (pay - 10) / 70 ? 'gold' : r() < 0.5 ? 'silver' : 'basic'
    return [cities[c]!, age.toFixed(2), pay.toFixed(2), plan]
  })
}

// curvedTable has a growth that rises and falls with the temperature.
export function curvedTable(): string {
  return rows('temp,growth,height', 1200, (r) => {
    const temp = 20 + 5 * normal(r)
    const growth = 30 - 0.2 * (temp - 20) ** 2 + 1.5 * normal(r)
    return [temp.toFixed(3), growth.toFixed(3), (50 + 10 * Math.tanh((growth - 25) / 3) + normal(r)).toFixed(3)]
  })
}
