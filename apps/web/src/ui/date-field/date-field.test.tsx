import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test } from "vitest";
import { DateField } from "./date-field.tsx";

function Host() {
  const [value, setValue] = useState("");
  return (
    <>
      <DateField label="Date de naissance" value={value} onChange={setValue} />
      <output>{value}</output>
    </>
  );
}

test("gives an ISO date once the typed day is whole, the text as typed before that", async () => {
  render(<Host />);
  await userEvent.type(screen.getByLabelText("Date de naissance"), "14/03/19");
  expect(screen.getByRole("status").textContent).toBe("14/03/19");
  await userEvent.type(screen.getByLabelText("Date de naissance"), "84");
  expect(screen.getByRole("status").textContent).toBe("1984-03-14");
});
