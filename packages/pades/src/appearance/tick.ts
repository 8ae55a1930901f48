import { writeNumber } from "../pdf/write-object.ts";
import { type Area, INK } from "./area.ts";

/** Gives the content of a box, ticked or not, as vector paths: poppler draws no indirect `/N` state of a real checkbox. */
export function boxContent(area: Area, state: "ticked" | "empty"): string {
  const side = Math.max(2, Math.min(area.width, area.height) - 2);
  const left = area.x + (area.width - side) / 2;
  const bottom = area.y + (area.height - side) / 2;
  const n = (value: number): string => writeNumber(value);
  const frame = `q ${INK} RG ${n(Math.max(0.5, side / 18))} w ${n(left)} ${n(bottom)} ${n(side)} ${n(side)} re S`;
  if (state === "empty") return `${frame} Q\n`;
  const at = (x: number, y: number): string => `${n(left + side * x)} ${n(bottom + side * y)}`;
  return `${frame} ${n(side / 8)} w 1 J 1 j ${at(0.2, 0.5)} m ${at(0.42, 0.26)} l ${at(0.8, 0.76)} l S Q\n`;
}
