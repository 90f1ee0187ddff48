package io.kvmesh.quickstart.picture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** What a picture holds, and that it is XML. */
class PictureTest {

  private static final Tile.Place PLACE = new Tile.Place(0, 0, 8, 8);
  private static final Tile.Chart LINES = new Tile.Chart(false, Double.NaN);
  private static final double NONE = Double.NaN;

  @ParameterizedTest
  @CsvSource({
    "none, 3, 3",
    "short, 12345, 12.3 k",
    "percentunit, 0.256, 25.6 %",
    "bytes, 1536, 1.50 KiB",
    "Bps, 2500000, 2.50 MB/s",
    "s, 0.0021, 2.10 ms",
    "s, 604800, 7 d",
    "s, 0, 0 s",
    "suffix: chunks/s, 14000, 14 k chunks/s"
  })
  void unit_isThatOfGrafana(String unit, double value, String text) {
    assertThat(Unit.of(unit).text(value)).isEqualTo(text);
  }

  @Test
  void chart_hasTitleLegendAndTimes() throws Exception {
    List<String> texts =
        texts(tile(LINES, new Series("hits <&> misses", List.of(1.0, 2.0, 4.0)), line("b", 0)));

    assertThat(texts)
        .contains("a dashboard", "from a test", "title", "hits <&> misses", "b")
        .contains("-2 min", "-1 min", "end")
        .contains("0", "1", "2", "3", "4");
  }

  @Test
  void valuesThatAreMissing_areGaps() throws Exception {
    Tile tile = tile(LINES, new Series("a", List.of(1.0, 1.0, NONE, 1.0, 1.0)));

    assertThat(paths(tile)).anyMatch(it -> it.matches("M[^ML]* [^ML]*L[^ML]*M[^ML]*L[^ML]*"));
  }

  @Test
  void stackedLines_haveRoomForTheirSum() throws Exception {
    Tile.Chart stacked = new Tile.Chart(true, Double.NaN);

    assertThat(texts(tile(stacked, line("a", 6), line("b", 6))))
        .contains("10", "15")
        .doesNotContain("20");
  }

  @Test
  void withoutValues_saysWhatThatMeans() throws Exception {
    assertThat(texts(tile(LINES))).contains("all is well");
    assertThat(texts(tile(LINES, line("a", NONE)))).contains("all is well");
    assertThat(texts(tile(new Tile.Figure(List.of())))).contains("all is well");
  }

  @Test
  void figure_hasTheColourOfItsStep() throws Exception {
    var figure =
        new Tile.Figure(
            List.of(new Tile.Step(Double.NEGATIVE_INFINITY, "red"), new Tile.Step(1, "green")));

    assertThat(draw(tile(figure, line("", 0.5)))).contains("fill=\"#cf222e\">0.50<");
    assertThat(draw(tile(figure, line("", 1)))).contains("fill=\"#1a7f37\">1<");
  }

  @Test
  void legendWithoutRoom_saysHowManyMoreThereAre() throws Exception {
    Series[] many =
        IntStream.range(0, 30).mapToObj(i -> line("agent-" + i, i)).toArray(Series[]::new);

    assertThat(texts(tile(LINES, many)))
        .contains("agent-0")
        .doesNotContain("agent-29")
        .anyMatch(it -> it.matches("\\+ \\d+ more"));
  }

  private static Series line(String name, double value) {
    return new Series(name, List.of(value, value, value));
  }

  private static Tile tile(Tile.Kind kind, Series... series) {
    return new Tile("title", kind, PLACE, Unit.of("none"), "all is well", List.of(series));
  }

  private static String draw(Tile tile) {
    return Picture.of("a dashboard", "from a test", List.of(tile), Duration.ofMinutes(2));
  }

  private static List<String> texts(Tile tile) throws Exception {
    NodeList nodes = xml(tile).getElementsByTagName("text");
    return IntStream.range(0, nodes.getLength())
        .mapToObj(i -> nodes.item(i).getTextContent())
        .toList();
  }

  private static List<String> paths(Tile tile) throws Exception {
    List<String> paths = new ArrayList<>();
    NodeList nodes = xml(tile).getElementsByTagName("path");
    for (int i = 0; i < nodes.getLength(); i++) {
      paths.add(nodes.item(i).getAttributes().getNamedItem("d").getNodeValue());
    }
    return paths;
  }

  private static Document xml(Tile tile) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(draw(tile))));
  }
}
