package io.kvmesh.quickstart.picture;

/** A rectangle of a picture, in pixels. */
record Area(double x, double y, double width, double height) {

  double right() {
    return x + width;
  }

  double bottom() {
    return y + height;
  }

  /** Where the middle is, from left to right. */
  double middle() {
    return x + width / 2;
  }

  /** A white sheet with a title. */
  void drawFrame(Svg svg, String title) {
    svg.rectangle(x, y, width, height, "rx=\"3\" fill=\"#ffffff\" stroke=\"#d0d7de\"");
    svg.text(x + 8, y + 17, "font-size=\"12\" font-weight=\"bold\"", title);
  }
}
