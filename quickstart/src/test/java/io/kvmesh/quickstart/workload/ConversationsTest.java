package io.kvmesh.quickstart.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConversationsTest {

  @Test
  void generate_sameSeed_givesSameRequests() {
    assertThat(Conversations.generate(200, 7)).isEqualTo(Conversations.generate(200, 7));
    assertThat(Conversations.generate(200, 7)).isNotEqualTo(Conversations.generate(200, 8));
  }

  @Test
  void generate_equalBlocks_meanEqualPrefixes() {
    Map<Long, List<Long>> prefixes = new HashMap<>();

    for (Prompt prompt : Conversations.generate(500, 1).prompts()) {
      for (int i = 0; i < prompt.size(); i++) {
        List<Long> prefix = Arrays.stream(prompt.blocks()).limit(i).boxed().toList();
        assertThat(prefixes.computeIfAbsent(prompt.block(i), key -> prefix)).isEqualTo(prefix);
      }
    }
  }
}
