import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { Pager, pageWindow } from "./pager.tsx";

test("page numbers come by windows of five", () => {
  expect(pageWindow(1, 13)).toEqual({ pages: [1, 2, 3, 4, 5], previous: undefined, next: 6 });
  expect(pageWindow(7, 13)).toEqual({ pages: [6, 7, 8, 9, 10], previous: 5, next: 11 });
  expect(pageWindow(13, 13)).toEqual({ pages: [11, 12, 13], previous: 10, next: undefined });
});

test("says which rows are shown, marks the page and opens the next window", async () => {
  const onPage = vi.fn();
  render(<Pager page={2} pageSize={10} count={128} onPage={onPage} />);
  expect(screen.getByRole("status").textContent).toBe("11–20 sur 128");
  expect(screen.getByRole("button", { name: "Page 2" }).getAttribute("aria-current")).toBe("page");
  await userEvent.click(screen.getByRole("button", { name: "Pages suivantes, 6 et plus" }));
  expect(onPage).toHaveBeenCalledWith(6);
});

test("one page needs no numbers", () => {
  render(<Pager page={1} pageSize={10} count={4} onPage={() => {}} />);
  expect(screen.queryAllByRole("button")).toEqual([]);
  expect(screen.queryByRole("navigation")).toBeNull();
  expect(screen.getByRole("status").textContent).toBe("1–4 sur 4");
});

function Paged() {
  const [page, setPage] = useState(4);
  return <Pager page={page} pageSize={10} count={64} onPage={setPage} />;
}

test("« … » gives the focus to the page it opens, when it goes away itself", async () => {
  render(<Paged />);
  await userEvent.click(screen.getByRole("button", { name: "Pages suivantes, 6 et plus" }));
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Page 6" }));
});

test("« Page suivante » keeps the focus on the last page", async () => {
  render(<Paged />);
  const next = screen.getByRole("button", { name: "Page suivante" });
  next.focus();
  await userEvent.keyboard("{Enter}{Enter}{Enter}{Enter}");
  expect(screen.getByRole("button", { name: "Page 7" }).getAttribute("aria-current")).toBe("page");
  expect(document.activeElement).toBe(next);
  expect(next.getAttribute("aria-disabled")).toBe("true");
});
