import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { PageThumbs, thumbsAround } from "./page-thumbs.tsx";

describe("the small pictures of pages", () => {
  it("are those of all the pages of a short document, and of eight around the page in sight of a long one", () => {
    expect(thumbsAround(2, 3)).toEqual([1, 2, 3]);
    expect(thumbsAround(1, 300)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(thumbsAround(150, 300)).toEqual([147, 148, 149, 150, 151, 152, 153, 154]);
    expect(thumbsAround(300, 300)).toEqual([293, 294, 295, 296, 297, 298, 299, 300]);
    expect(thumbsAround(1, 0)).toEqual([]);
  });

  it("lead to their page, and say which one is in sight", () => {
    const onGo = vi.fn();
    const page = { width: 595, height: 842 };
    render(<PageThumbs pdf={null} pages={[page, page]} current={2} onGo={onGo} />);
    expect(
      screen.getByRole("button", { name: "Aller à la page 2" }).getAttribute("aria-current"),
    ).toBe("true");
    fireEvent.click(screen.getByRole("button", { name: "Aller à la page 1" }));
    expect(onGo).toHaveBeenCalledWith(1);
  });
});
