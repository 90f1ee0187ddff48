package io.kvmesh.quickstart.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class JavaCommandTest {

  @Test
  void settings_takeThePlaceOfThoseWithTheSameName() {
    List<String> words =
        new JavaCommand(new JavaClasses("classes"), "Main", 8)
            .setting("kvmesh.one", "a")
            .setting("kvmesh.one-more", "b")
            .settings(List.of("--kvmesh.one=c=d", "--kvmesh.other=e"))
            .words();

    assertThat(words)
        .endsWith("Main", "--kvmesh.one-more=b", "--kvmesh.one=c=d", "--kvmesh.other=e");
  }
}
