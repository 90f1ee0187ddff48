package io.kvmesh.quickstart.picture;

import io.kvmesh.quickstart.picture.Tile.Place;
import java.time.Duration;
import java.util.List;

/** A dashboard as one SVG. */
public final class Picture {

  private static final int WIDTH = 1200;
  private static final int HEAD = 50;
  private static final int COLUMN = WIDTH / 24;
  private static final int LINE = 26;
  private static final int GAP = 4;

  private Picture() {}

  /**
   * Draws it.
   *
   * @param label below the title: where it comes from
   * @param span what all series cover
   */
  public static String of(String title, String label, List<Tile> tiles, Duration span) {
    Svg svg = new Svg();
    svg.text(GAP * 2, 20, "font-size=\"16\" font-weight=\"bold\"", title);
    svg.text(GAP * 2, 38, "fill=\"#57606a\"", label);
    int lines = 0;
    for (Tile tile : tiles) {
      lines = Math.max(lines, tile.place().line() + tile.place().lines());
      draw(svg, tile, span);
    }
    return svg.document(WIDTH, HEAD + lines * LINE + GAP, title);
  }

  private static void draw(Svg svg, Tile tile, Duration span) {
    Place place = tile.place();
    Area area =
        new Area(
            place.column() * COLUMN + GAP,
            HEAD + place.line() * LINE + GAP,
            place.columns() * COLUMN - 2 * GAP,
            place.lines() * LINE - 2 * GAP);
    switch (tile.kind()) {
      case Tile.Heading _ ->
          svg.text(
              area.x() + 4.0,
              area.bottom() - 2.0,
              "font-size=\"13\" font-weight=\"bold\"",
              tile.title());
      case Tile.Figure figure -> new FigureDrawing(svg, tile, area).draw(figure);
      case Tile.Chart chart -> new ChartDrawing(svg, tile, area, span).draw(chart);
    }
  }
}
