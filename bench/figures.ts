export type BenchRow = {
  readonly part: string;
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** In the row's unit; null for none. */
  readonly goal: { readonly atMost: number } | { readonly atLeast: number } | null;
};

export function isMet(row: BenchRow): boolean | null {
  if (row.goal === null) return null;
  return "atMost" in row.goal ? row.value <= row.goal.atMost : row.value >= row.goal.atLeast;
}

function goalText({ goal }: BenchRow): string {
  if (goal === null) return "–";
  return "atMost" in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`;
}

function valueText(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function renderTable(rows: readonly BenchRow[]): string {
  const cells = rows.map((row) => {
    const met = isMet(row);
    return [
      row.part,
      row.what,
      valueText(row.value),
      row.unit,
      goalText(row),
      met === null ? "" : met ? "yes" : "no",
    ];
  });
  const all = [["part", "what", "value", "unit", "goal", "met"], ...cells];
  const widths =
    all[0]?.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0))) ?? [];
  const line = (texts: readonly string[]) =>
    `| ${texts.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = all;
  return [
    line(head),
    `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`,
    ...body.map(line),
  ].join("\n");
}

/** `fraction` from 0 to 1. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}
