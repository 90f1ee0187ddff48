package io.kvmesh.quickstart.picture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.DoubleSummaryStatistics;
import java.util.List;

/** Draws lines over time, with axes and a legend. */
final class ChartDrawing {

  private static final List<String> COLORS =
      List.of(
          "#0969da", "#bc4c00", "#1a7f37", "#8250df", "#cf222e", "#9a6700", "#0a7ea4", "#bf3989",
          "#57606a", "#6e7781");
  private static final double LEFT = 62;
  private static final double RIGHT = 12;
  private static final double TOP = 28;
  private static final double TIMES = 16;
  private static final double LEGEND_LINE = 14;
  private static final int LEGEND_LINES = 2;
  private static final double LETTER = 6;
  private static final int TICKS = 4;

  private final Svg svg;
  private final Tile tile;
  private final Area area;
  private final Duration span;
  private final Area plot;

  ChartDrawing(Svg svg, Tile tile, Area area, Duration span) {
    this.svg = svg;
    this.tile = tile;
    this.area = area;
    this.span = span;
    this.plot =
        new Area(
            area.x() + LEFT,
            area.y() + TOP,
            area.width() - LEFT - RIGHT,
            area.height() - TOP - TIMES - LEGEND_LINES * LEGEND_LINE - 4);
  }

  void draw(Tile.Chart chart) {
    area.drawFrame(svg, tile.title());
    svg.text(
        area.right() - RIGHT,
        area.y() + 17,
        "text-anchor=\"end\" fill=\"#57606a\"",
        tile.unit().caption());
    List<Series> drawn = chart.stacked() ? stacked(tile.series()) : tile.series();
    DoubleSummaryStatistics all = Series.statistics(drawn);
    if (all.getCount() == 0) {
      svg.text(
          area.middle(),
          area.y() + area.height() / 2,
          "text-anchor=\"middle\" font-style=\"italic\" fill=\"#57606a\"",
          tile.whenEmpty());
      return;
    }
    double top = Double.isNaN(chart.top()) ? all.getMax() : chart.top();
    Axis axis = new Axis(Math.min(0, all.getMin()), top);
    drawAxes(axis);
    for (int i = drawn.size() - 1; i >= 0; i--) {
      drawLine(drawn.get(i), axis, color(i), chart.stacked());
    }
    drawLegend();
  }

  private static String color(int index) {
    return COLORS.get(index % COLORS.size());
  }

  /** Each upon the sum of those before it. */
  private static List<Series> stacked(List<Series> series) {
    List<Series> all = new ArrayList<>();
    List<Double> sums = List.of();
    for (Series one : series) {
      List<Double> below = sums.isEmpty() ? Collections.nCopies(one.values().size(), 0.0) : sums;
      List<Double> values = new ArrayList<>();
      for (int i = 0; i < one.values().size(); i++) {
        double value = one.values().get(i);
        values.add(below.get(i) + (Double.isNaN(value) ? 0 : value));
      }
      sums = values;
      all.add(new Series(one.name(), values));
    }
    return all;
  }

  /** A scale from bottom to top, of round steps. */
  private final class Axis {

    private final Unit.Scale scale;
    private final double bottom;
    private final double step;
    private final double top;

    Axis(double least, double greatest) {
      double height = greatest > least ? greatest - least : 1;
      scale = tile.unit().scale(least + height);
      step = round(height / TICKS / scale.factor()) * scale.factor();
      bottom = Math.floor(least / step) * step;
      top = Math.ceil((least + height) / step - 1e-9) * step;
    }

    private static double round(double step) {
      double power = Math.pow(10, Math.floor(Math.log10(step)));
      double digit = step / power;
      return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
    }

    double y(double value) {
      return plot.bottom() - (value - bottom) / (top - bottom) * plot.height();
    }
  }

  private void drawAxes(Axis axis) {
    for (double tick = axis.bottom; tick <= axis.top + axis.step / 2; tick += axis.step) {
      double value = Math.abs(tick) < axis.step / 1e6 ? 0 : tick;
      drawStroke(plot.x(), axis.y(value), plot.right(), axis.y(value));
      svg.text(
          plot.x() - 6,
          axis.y(value) + 4,
          "text-anchor=\"end\" fill=\"#57606a\"",
          axis.scale.text(value));
    }
    long minutes = span.toMinutes();
    for (long ago = minutes; ago >= 0; ago--) {
      double x = plot.right() - plot.width() * ago * 60 / span.toSeconds();
      drawStroke(x, plot.y(), x, plot.bottom());
      svg.text(
          x,
          plot.bottom() + 14,
          "text-anchor=\"%s\" fill=\"#57606a\"".formatted(ago == 0 ? "end" : "middle"),
          ago == 0 ? "end" : "-" + ago + " min");
    }
  }

  private void drawStroke(double x1, double y1, double x2, double y2) {
    svg.path(Svg.point('M', x1, y1) + Svg.point('L', x2, y2), "stroke=\"#e4e7eb\"");
  }

  private void drawLine(Series series, Axis axis, String color, boolean filled) {
    StringBuilder line = new StringBuilder();
    List<Double> values = series.values();
    char step = 'M';
    for (int i = 0; i < values.size(); i++) {
      double value = values.get(i);
      if (!Double.isFinite(value)) {
        step = 'M';
      } else if (step == 'M' || !isWithinLevelLine(values, i)) {
        double x = plot.x() + plot.width() * i / Math.max(1, values.size() - 1);
        line.append(Svg.point(step, x, Math.max(plot.y(), axis.y(value))));
        step = 'L';
      }
    }
    if (filled) {
      String ground =
          Svg.point('L', plot.right(), axis.y(0)) + Svg.point('L', plot.x(), axis.y(0)) + "Z";
      svg.path(line + ground, "fill=\"#ffffff\"");
      svg.path(line + ground, "fill=\"%s\" fill-opacity=\"0.25\"".formatted(color));
    }
    svg.path(
        line.toString(),
        "fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" stroke-linejoin=\"round\""
            .formatted(color));
  }

  /** Such points need not be drawn. */
  private static boolean isWithinLevelLine(List<Double> values, int i) {
    return i > 0
        && i < values.size() - 1
        && values.get(i).equals(values.get(i - 1))
        && values.get(i).equals(values.get(i + 1));
  }

  /** As many names as have room; how many more there are. */
  private void drawLegend() {
    double x = area.x() + 10;
    double y = plot.bottom() + TIMES + LEGEND_LINE;
    int line = 1;
    List<Series> all = tile.series();
    for (int i = 0; i < all.size(); i++) {
      String name = all.get(i).name();
      double width = 16 + name.length() * LETTER + 10;
      double room = line == LEGEND_LINES && i < all.size() - 1 ? 60 : 0;
      if (x + width > area.right() - room) {
        if (line == LEGEND_LINES) {
          svg.text(x, y, "fill=\"#57606a\"", "+ " + (all.size() - i) + " more");
          return;
        }
        line++;
        x = area.x() + 10;
        y += LEGEND_LINE;
      }
      svg.rectangle(x, y - 8, 10, 8, "fill=\"%s\"".formatted(color(i)));
      svg.text(x + 14, y, "", name);
      x += width;
    }
  }
}
