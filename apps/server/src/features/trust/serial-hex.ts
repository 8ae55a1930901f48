/** Gives a serial number as it is kept and compared: lower-case hexadecimal, without the sign byte that DER may put first. */
export function serialHex(serialNumber: Uint8Array): string {
  const hex = Buffer.from(serialNumber)
    .toString("hex")
    .replace(/^(00)+(?=.)/, "");
  return hex === "" ? "00" : hex;
}
