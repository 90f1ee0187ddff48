package io.kvmesh.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** Rows of texts below a head, in columns; numbers stand to the right. */
final class Table {

  /** A column of a table over JSON objects. */
  record Column(String title, Function<JsonNode, String> cell) {

    /** Of a field; a path in a nested object has dots. */
    static Column of(String title, String path) {
      return new Column(title, row -> text(at(row, path)));
    }

    private static JsonNode at(JsonNode row, String path) {
      JsonNode node = row;
      for (String step : path.split("\\.", -1)) {
        node = node.path(step);
      }
      return node;
    }
  }

  private final List<String> head;
  private final List<List<String>> rows = new ArrayList<>();

  Table(String... head) {
    this.head = List.of(head);
  }

  /** A row for each element. */
  static Table of(JsonNode elements, Column... columns) {
    Table table = new Table(List.of(columns).stream().map(Column::title).toArray(String[]::new));
    for (JsonNode element : elements) {
      table.row(List.of(columns).stream().map(it -> it.cell().apply(element)).toList());
    }
    return table;
  }

  Table row(List<String> cells) {
    if (cells.size() != head.size()) {
      throw new IllegalArgumentException(cells.size() + " cells below a head of " + head.size());
    }
    rows.add(cells);
    return this;
  }

  Table row(String... cells) {
    return row(List.of(cells));
  }

  /** What a table shows of a value: a list in one cell, nothing for null. */
  static String text(JsonNode value) {
    if (value.isNull() || value.isMissingNode()) {
      return "-";
    }
    if (value.isArray()) {
      return String.join(",", value.valueStream().map(Table::text).toList());
    }
    return value.isValueNode() ? value.asString() : value.toString();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    append(text, head);
    rows.forEach(row -> append(text, row));
    return text.toString();
  }

  private void append(StringBuilder text, List<String> cells) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.size(); i++) {
      String cell = cells.get(i);
      String gap = " ".repeat(width(i) - cell.length());
      line.append(i == 0 ? "" : "  ").append(isNumbers(i) ? gap + cell : cell + gap);
    }
    text.append(line.toString().stripTrailing()).append('\n');
  }

  private int width(int column) {
    int widest = head.get(column).length();
    for (List<String> row : rows) {
      widest = Math.max(widest, row.get(column).length());
    }
    return widest;
  }

  private boolean isNumbers(int column) {
    return !rows.isEmpty()
        && rows.stream()
            .allMatch(row -> row.get(column).matches("-|-?[0-9]+(\\.[0-9]+)?( (s|ms|%))?"));
  }
}
