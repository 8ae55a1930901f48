import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { createQueryClient } from "../../lib/create-query-client.ts";
import { QrDialog } from "./qr-dialog.tsx";

it("offers to make the code, and no place that nothing would print it at", () => {
  render(
    <QueryClientProvider client={createQueryClient()}>
      <QrDialog envelope={{ id: "e1" } as never} onClose={() => {}} />
    </QueryClientProvider>,
  );
  expect(screen.getByText("Créer le QR code")).toBeTruthy();
  expect(screen.queryAllByRole("radio")).toEqual([]);
});
