package io.kvmesh.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.common.wire.Extension;
import io.kvmesh.common.wire.control.ControlReply;
import io.kvmesh.common.wire.control.ControlRequest;
import io.kvmesh.common.wire.directory.DirectoryPush;
import io.kvmesh.common.wire.directory.DirectoryReply;
import io.kvmesh.common.wire.directory.DirectoryRequest;
import io.kvmesh.common.wire.handshake.HandshakeReply;
import io.kvmesh.common.wire.handshake.HandshakeRequest;
import io.kvmesh.common.wire.peer.PeerReply;
import io.kvmesh.common.wire.peer.PeerRequest;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What docs/protocol.md says of the fields that LMCache's messages don't have, compared with the
 * records, in both directions. A message that is marked as ours has no other.
 */
class ProtocolTest {

  private static final String OURS = "(ours)";
  private static final Pattern FIELD = Pattern.compile("`(\\w+)`([^`]*)");

  /** In these all fields that are named are ours. */
  private static final List<String> OUR_FIELDS =
      List.of(
          "controller-fields",
          "agent-fields",
          "put-fields",
          "drain-fields",
          "control-reply-fields");

  private static final String COMMANDS = "control-commands";

  private static final List<Class<?>> FAMILIES =
      List.of(
          DirectoryRequest.class,
          DirectoryReply.class,
          DirectoryPush.class,
          HandshakeRequest.class,
          HandshakeReply.class,
          PeerRequest.class,
          PeerReply.class,
          ControlRequest.class,
          ControlReply.class);

  /** Fields by message, as they are told. */
  private final Map<String, Set<String>> all = new HashMap<>();

  private final Map<String, Set<String>> ours = new HashMap<>();

  /** Messages that LMCache doesn't have. */
  private final Set<String> ourMessages = new TreeSet<>();

  @Test
  void fieldsThatLmCacheDoesNotKnow_areThoseOfTheDocs() throws IOException {
    for (String table : OUR_FIELDS) {
      read(table, rest -> true);
    }
    read(COMMANDS, rest -> rest.contains(OURS));

    Set<String> told = new TreeSet<>(ours.keySet());
    for (Class<?> message : messages()) {
      String name = message.getSimpleName();
      told.remove(name);
      assertThat(ours.getOrDefault(name, Set.of()))
          .as("fields of ours that docs/protocol.md tells of %s", name)
          .isEqualTo(fields(message, ourMessages.contains(name)));
    }
    assertThat(told).as("messages that aren't there").isEmpty();
  }

  @Test
  void commands_haveTheFieldsOfTheDocs() throws IOException {
    read(COMMANDS, rest -> true);

    for (Class<?> message : ControlRequest.class.getPermittedSubclasses()) {
      assertThat(all.getOrDefault(message.getSimpleName(), Set.of()))
          .as("fields that docs/protocol.md tells of %s", message.getSimpleName())
          .isEqualTo(fields(message, true));
    }
  }

  private static List<Class<?>> messages() {
    return FAMILIES.stream().flatMap(family -> Stream.of(family.getPermittedSubclasses())).toList();
  }

  /** A row without a message goes on with that of the row above. */
  private void read(String table, Predicate<String> isOurs) throws IOException {
    List<String> messages = List.of();
    for (String row : Readme.rows(table)) {
      String[] cells = row.split("\\|", -1);
      List<String> named = names(cells[1]);
      messages = named.isEmpty() ? messages : named;
      if (cells[1].contains(OURS)) {
        ourMessages.addAll(messages);
      }
      Matcher field = FIELD.matcher(cells[2]);
      while (field.find()) {
        for (String message : messages) {
          enter(all, message, field.group(1));
          if (ourMessages.contains(message) || isOurs.test(field.group(2))) {
            enter(ours, message, field.group(1));
          }
        }
      }
    }
  }

  private static void enter(Map<String, Set<String>> fields, String message, String field) {
    fields.computeIfAbsent(message, none -> new HashSet<>()).add(field);
  }

  private static List<String> names(String cell) {
    List<String> names = new ArrayList<>();
    Matcher name = FIELD.matcher(cell);
    while (name.find()) {
      names.add(name.group(1));
    }
    return names;
  }

  private static Set<String> fields(Class<?> message, boolean every) {
    return Arrays.stream(message.getRecordComponents())
        .filter(field -> every || field.isAnnotationPresent(Extension.class))
        .map(RecordComponent::getName)
        .map(name -> name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT))
        .collect(Collectors.toSet());
  }
}
