package io.kvmesh.helm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

class OciImageTest {

  @TempDir private Path dir;

  private Path layer(String name, String... files) throws IOException, InterruptedException {
    Path content = dir.resolve(name);
    for (String file : files) {
      Path path = content.resolve(file);
      Files.createDirectories(path.resolveSibling(""));
      Files.writeString(path, name);
    }
    Path layer = dir.resolve(name + ".tar.gz");
    OciImage.run(List.of("tar", "-czf", layer.toString(), "-C", content.toString(), "."));
    return layer;
  }

  @Test
  void unpack_putsLayersOnEachOther_andTakesAwayWhatTheySay() throws Exception {
    Path root = Files.createDirectory(dir.resolve("root"));
    List<Path> layers =
        List.of(
            layer("one", "kept", "replaced", "gone", "tree/gone", "opaque/gone"),
            layer(
                "two", "replaced", ".wh.gone", ".wh.tree", "opaque/.wh..wh..opq", "opaque/added"));

    new OciImage(layers, JsonMapper.shared().createObjectNode()).unpack(root);

    assertThat(root.resolve("kept")).hasContent("one");
    assertThat(root.resolve("replaced")).hasContent("two");
    assertThat(root.resolve("opaque/added")).hasContent("two");
    try (var all = Files.walk(root)) {
      assertThat(all.filter(Files::isRegularFile)).hasSize(3);
    }
    assertThat(root.resolve("tree")).doesNotExist();
  }
}
