package io.kvmesh.quickstart.picture;

import java.util.List;
import java.util.Map;

/** Draws a number in the colour of its step. */
final class FigureDrawing {

  private static final String PLAIN = "#24292e";

  /** Grafana's names of colours. */
  private static final Map<String, String> COLORS =
      Map.of("green", "#1a7f37", "orange", "#bc4c00", "red", "#cf222e");

  private final Svg svg;
  private final Tile tile;
  private final Area area;

  FigureDrawing(Svg svg, Tile tile, Area area) {
    this.svg = svg;
    this.tile = tile;
    this.area = area;
  }

  void draw(Tile.Figure figure) {
    area.drawFrame(svg, tile.title());
    double value = tile.series().isEmpty() ? Double.NaN : tile.series().getFirst().last();
    String text = Double.isNaN(value) ? tile.whenEmpty() : tile.unit().text(value);
    svg.text(
        area.middle(),
        area.bottom() - 24,
        "font-size=\"%d\" font-weight=\"bold\" text-anchor=\"middle\" fill=\"%s\""
            .formatted(text.length() > 12 ? 18 : 26, color(figure.steps(), value)),
        text);
  }

  private static String color(List<Tile.Step> steps, double value) {
    return steps.reversed().stream()
        .filter(it -> value >= it.from())
        .findFirst()
        .map(it -> COLORS.getOrDefault(it.color(), PLAIN))
        .orElse(PLAIN);
  }
}
