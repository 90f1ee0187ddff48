package io.kvmesh.quickstart.picture;

import java.util.List;

/**
 * A field of a dashboard.
 *
 * @param place in the dashboard's grid
 * @param whenEmpty what stands there if no series has a value
 * @param series lines of a chart; of a number its course
 */
public record Tile(
    String title, Kind kind, Place place, Unit unit, String whenEmpty, List<Series> series) {

  /** Copies the series. */
  public Tile {
    series = List.copyOf(series);
  }

  /** What it looks like. */
  public sealed interface Kind {}

  /** The title of those below. */
  public record Heading() implements Kind {}

  /**
   * The last value alone.
   *
   * @param steps by their least value, in order
   */
  public record Figure(List<Step> steps) implements Kind {

    /** Copies the steps. */
    public Figure {
      steps = List.copyOf(steps);
    }
  }

  /**
   * The colour of a number from a value on.
   *
   * @param from negative infinity for the first
   */
  public record Step(double from, String color) {}

  /**
   * Lines over time.
   *
   * @param stacked whether each begins where the one before it ends
   * @param top upper end of the axis; NaN = as the values need
   */
  public record Chart(boolean stacked, double top) implements Kind {}

  /** Columns, of which there are 24, and lines of the grid. */
  public record Place(int column, int line, int columns, int lines) {}
}
