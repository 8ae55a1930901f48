import { OTP_LENGTH } from "@paraphe/contracts";

const CODES = 10 ** OTP_LENGTH;
const UNBIASED = Math.floor(2 ** 32 / CODES) * CODES;

export function drawCode(random: (length: number) => Uint8Array): string {
  for (;;) {
    const bytes = random(4);
    const drawn = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
    if (drawn < UNBIASED) return String(drawn % CODES).padStart(OTP_LENGTH, "0");
  }
}
