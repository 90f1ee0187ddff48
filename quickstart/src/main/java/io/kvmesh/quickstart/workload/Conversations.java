package io.kvmesh.quickstart.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Generates multi-turn conversations: each begins with one of a few system prompts, and each turn
 * sends the whole conversation so far plus a new question. Turns of many conversations interleave,
 * so a conversation wanders over the workers. The same seed and number give the same requests.
 */
public final class Conversations {

  private static final int SYSTEM_PROMPTS = 4;
  private static final int SYSTEM_PROMPT_BLOCKS = 6;
  private static final int OPEN_AT_A_TIME = 48;
  private static final int MIN_TURNS = 2;
  private static final int MORE_TURNS = 9;
  private static final int MIN_TURN_BLOCKS = 2;
  private static final int MORE_TURN_BLOCKS = 8;

  private final Random random;
  private final List<Conversation> open = new ArrayList<>();
  private long nextBlock;

  private Conversations(long seed) {
    this.random = new Random(seed);
    this.nextBlock = (long) SYSTEM_PROMPTS * SYSTEM_PROMPT_BLOCKS;
  }

  public static Workload generate(int requests, long seed) {
    Conversations conversations = new Conversations(seed);
    List<Prompt> prompts = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      prompts.add(conversations.nextPrompt());
    }
    return new Workload("generated conversations", prompts);
  }

  private Prompt nextPrompt() {
    if (open.size() < OPEN_AT_A_TIME) {
      open.add(begin());
    }
    int chosen = random.nextInt(open.size());
    Conversation conversation = open.get(chosen);
    Prompt prompt = conversation.turn();
    if (conversation.turnsLeft == 0) {
      open.set(chosen, begin());
    }
    return prompt;
  }

  private Conversation begin() {
    List<Long> blocks = new ArrayList<>();
    long first = (long) random.nextInt(SYSTEM_PROMPTS) * SYSTEM_PROMPT_BLOCKS;
    for (int i = 0; i < SYSTEM_PROMPT_BLOCKS; i++) {
      blocks.add(first + i);
    }
    return new Conversation(blocks, MIN_TURNS + random.nextInt(MORE_TURNS));
  }

  private final class Conversation {

    private final List<Long> blocks;
    private int turnsLeft;

    private Conversation(List<Long> blocks, int turnsLeft) {
      this.blocks = blocks;
      this.turnsLeft = turnsLeft;
    }

    private Prompt turn() {
      turnsLeft--;
      int added = MIN_TURN_BLOCKS + random.nextInt(MORE_TURN_BLOCKS);
      for (int i = 0; i < added; i++) {
        blocks.add(nextBlock++);
      }
      return new Prompt(blocks.stream().mapToLong(Long::longValue).toArray());
    }
  }
}
