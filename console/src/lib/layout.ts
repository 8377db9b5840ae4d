// Where the nodes of a graph stand: a spiral by rank to begin with, then edges pull and near nodes push. Worked in short
// turns, so that the page stays at hand with thousands of nodes.

export interface Point {
  x: number;
  y: number;
}

const GOLDEN = 2.399963;
const ROUNDS = 50;
/** Thousands are placed roughly: what is read of them is their own neighborhood. */
const ROUNDS_OF_MANY = 20;
const TURN_MS = 24;
/** Up to so many nodes, each pushes each. */
const FEW = 400;
const MAX_PUSHED_BY = 24;

const rest = () => new Promise((resolve) => setTimeout(resolve));

/** Places `count` nodes, those with the lowest number in the middle. Stops where it is once `stopped` says so. */
export async function placed(count: number, edges: [number, number, number][], stopped: () => boolean): Promise<Point[]> {
  const points: Point[] = Array.from({ length: count }, (_, i) => ({ x: Math.sqrt(i + 0.5) * Math.cos(i * GOLDEN), y: Math.sqrt(i + 0.5) * Math.sin(i * GOLDEN) }));
  const moves: Point[] = points.map(() => ({ x: 0, y: 0 }));
  let turn = performance.now();
  const rounds = count > FEW ? ROUNDS_OF_MANY : ROUNDS;
  for (let round = 0; round < rounds; round += 1) {
    for (const move of moves) move.x = move.y = 0;
    pull(points, moves, edges);
    push(points, moves);
    const most = 1.2 * (1 - round / rounds);
    points.forEach((point, i) => {
      const move = moves[i]!;
      const length = Math.hypot(move.x, move.y) || 1;
      const step = Math.min(length, most) / length;
      point.x += move.x * step;
      point.y += move.y * step;
    });
    if (performance.now() - turn > TURN_MS) {
      await rest();
      if (stopped()) return points;
      turn = performance.now();
    }
  }
  return points;
}

function pull(points: Point[], moves: Point[], edges: [number, number, number][]): void {
  for (const [one, other, weight] of edges) {
    const [a, b] = [points[one]!, points[other]!];
    const strength = 0.03 * Math.min(3, 1 + Math.log2(weight));
    const [x, y] = [(b.x - a.x) * strength, (b.y - a.y) * strength];
    moves[one]!.x += x;
    moves[one]!.y += y;
    moves[other]!.x -= x;
    moves[other]!.y -= y;
  }
}

/** Nodes in the same and the next cells push each other; of a crowd only some do. */
function push(points: Point[], moves: Point[]): void {
  const few = points.length <= FEW;
  const [SIZE, most] = few ? [40, FEW] : [2.2, MAX_PUSHED_BY];
  const cells = new Map<number, number[]>();
  const cell = (x: number, y: number) => Math.floor(x / SIZE) * 65_536 + Math.floor(y / SIZE);
  points.forEach((point, i) => {
    const key = cell(point.x, point.y);
    const inside = cells.get(key);
    if (inside) inside.push(i);
    else cells.set(key, [i]);
  });
  points.forEach((point, i) => {
    for (let dx = -1; dx <= 1; dx += 1) {
      for (let dy = -1; dy <= 1; dy += 1) {
        const near = cells.get(cell(point.x + dx * SIZE, point.y + dy * SIZE));
        if (!near) continue;
        for (let at = 0; at < Math.min(near.length, most); at += 1) {
          const other = near[at]!;
          if (other === i) continue;
          const [x, y] = [point.x - points[other]!.x || 0.01 * (i - other), point.y - points[other]!.y || 0.01];
          const far = x * x + y * y;
          const strength = 0.5 / (far + 0.2);
          moves[i]!.x += x * strength;
          moves[i]!.y += y * strength;
        }
      }
    }
  });
}
