import { asciiAddress } from "@paraphe/contracts";

/** Parameters of Punycode. Source: RFC 3492 §5. */
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_N = 0x80;

/**
 * « a@xn--exmple-cva.fr » becomes « a@exémple.fr »; unchanged where the domain would not encode
 * back to the same ASCII.
 */
export function unicodeAddress(address: string): string {
  const at = address.lastIndexOf("@");
  const labels = address.slice(at + 1).split(".");
  if (at < 1 || !labels.some((label) => label.startsWith("xn--"))) return address;
  const written = labels.map((label) =>
    label.startsWith("xn--") ? decodeLabel(label.slice(4)) : label,
  );
  const shown = `${address.slice(0, at)}@${written.join(".")}`;
  return asciiAddress(shown) === address ? shown : address;
}

/** Source: RFC 3492 §6.2. Invalid Punycode gives text that does not encode back. */
function decodeLabel(label: string): string {
  const basic = label.lastIndexOf("-");
  const points = Array.from(
    label.slice(0, Math.max(basic, 0)),
    (letter) => letter.codePointAt(0) ?? 0,
  );
  let n = INITIAL_N;
  let i = 0;
  let bias = INITIAL_BIAS;
  for (let at = basic + 1; at < label.length; ) {
    const before = i;
    for (let weight = 1, k = BASE; at < label.length; k += BASE) {
      const digit = valueOf(label.charAt(at));
      at += 1;
      i += digit * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = points.length + 1;
    bias = adapt(i - before, { length, isFirst: before === 0 });
    n += Math.floor(i / length);
    i %= length;
    if (!(n <= 0x10_ff_ff)) return "";
    points.splice(i, 0, n);
    i += 1;
  }
  return String.fromCodePoint(...points);
}

/** a to z are 0 to 25, 0 to 9 are 26 to 35, else NaN. Source: RFC 3492 §5. */
function valueOf(letter: string): number {
  const value = "abcdefghijklmnopqrstuvwxyz0123456789".indexOf(letter.toLowerCase());
  return value === -1 ? Number.NaN : value;
}

/** Source: RFC 3492 §6.1. */
function adapt(delta: number, { length, isFirst }: { length: number; isFirst: boolean }): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
