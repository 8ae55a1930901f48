import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { vi } from "vitest";

/** The test environment has no canvas; `drawn` records the source rectangles. */
export function drawsPixels(): { readonly drawn: number[][] } {
  const drawn: number[][] = [];
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue({
    drawImage: (_bitmap: unknown, ...numbers: number[]) => drawn.push(numbers),
  } as never);
  vi.spyOn(HTMLCanvasElement.prototype, "toBlob").mockImplementation(function (
    this: HTMLCanvasElement,
    done,
    type = "image/png",
  ) {
    done(new Blob(["carré"], { type }));
  });
  return { drawn };
}

/** Accepts the proposed square. */
export async function useCropped(): Promise<void> {
  drawsPixels();
  await userEvent.click(await screen.findByRole("button", { name: "Utiliser cette image" }));
}
