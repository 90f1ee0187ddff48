package io.kvmesh.quickstart.picture;

import java.util.Locale;

/** Writes elements of an SVG. Lengths in pixels. */
final class Svg {

  private final StringBuilder out = new StringBuilder();

  void rectangle(double x, double y, double width, double height, String attributes) {
    out.append(
        "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" %s/>\n"
            .formatted(n(x), n(y), n(width), n(height), attributes));
  }

  void text(double x, double y, String attributes, String text) {
    out.append(
        "<text x=\"%s\" y=\"%s\" %s>%s</text>\n".formatted(n(x), n(y), attributes, escaped(text)));
  }

  void path(String data, String attributes) {
    out.append("<path d=\"%s\" %s/>\n".formatted(data, attributes));
  }

  /** A step of a path to a point. */
  static String point(char step, double x, double y) {
    return step + n(x) + " " + n(y);
  }

  private static String n(double value) {
    String text = String.format(Locale.ROOT, "%.1f", value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  /** The whole, on a light ground of its own, so that it can be read on a dark page, too. */
  String document(int width, int height, String title) {
    return """
    <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" \
    font-family="system-ui, sans-serif" font-size="11" fill="#24292e">
    <title>%3$s</title>
    <rect width="%1$d" height="%2$d" fill="#eceef1"/>
    %4$s</svg>
    """
        .formatted(width, height, escaped(title), out);
  }
}
