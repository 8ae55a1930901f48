import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { createQueryClient } from "../../../lib/create-query-client.ts";
import { QrDialog } from "./qr-dialog.tsx";

it("offers to make the code; where a copy bears it is chosen when it is printed", () => {
  render(
    <QueryClientProvider client={createQueryClient()}>
      <QrDialog envelope={{ id: "e1", progress: { signed: 1 } } as never} onClose={() => {}} />
    </QueryClientProvider>,
  );
  expect(screen.getByText("Créer le QR code")).toBeTruthy();
  expect(screen.queryAllByRole("radio")).toEqual([]);
});
