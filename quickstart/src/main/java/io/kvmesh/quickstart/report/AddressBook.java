package io.kvmesh.quickstart.report;

import io.kvmesh.quickstart.fleet.Fleet;
import io.kvmesh.quickstart.fleet.Member;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Where everything can be reached. */
public final class AddressBook {

  private AddressBook() {}

  /** For programs: addresses and process ids by name. */
  public static Map<String, Object> of(Fleet fleet) {
    Map<String, Object> book = new LinkedHashMap<>();
    book.putAll(controller(fleet.controller()));
    book.put("controllers", fleet.controllers().stream().map(AddressBook::controller).toList());
    book.put("kafka", fleet.kafka().address(Fleet.CLIENT));
    book.put("redis", "redis://" + fleet.redis().address(Fleet.CLIENT));
    book.put("agents", fleet.agents().stream().map(AddressBook::agent).toList());
    Map<String, Long> pids = new LinkedHashMap<>();
    fleet.members().forEach(member -> pids.put(member.name(), member.pid()));
    book.put("pids", pids);
    return book;
  }

  /** For people: a line a program. */
  public static List<String> lines(Fleet fleet) {
    List<String> lines = new ArrayList<>();
    lines.add(String.format("  %-12s %8s  %s", "program", "PID", "addresses"));
    for (Member member : fleet.members()) {
      StringBuilder doors = new StringBuilder();
      member
          .addresses()
          .forEach((door, address) -> doors.append(door).append(' ').append(address).append("  "));
      lines.add(
          String.format("  %-12s %8d  %s", member.name(), member.pid(), doors).stripTrailing());
    }
    String rest = "http://" + fleet.controller().address(Fleet.REST);
    lines.add("  workers: " + rest + "/api/v1/workers   health: " + rest + "/actuator/health");
    return lines;
  }

  private static Map<String, Object> controller(Member controller) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("rest", "http://" + controller.address(Fleet.REST));
    entry.put("controller_pull", "tcp://" + controller.address(Fleet.CONTROLLER_PULL));
    entry.put("controller_reply", "tcp://" + controller.address(Fleet.CONTROLLER_REPLY));
    return entry;
  }

  private static Map<String, Object> agent(Member agent) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("instance", Fleet.worker(agent).instanceId());
    entry.put("rank", Fleet.worker(agent).rank());
    agent
        .addresses()
        .forEach(
            (door, address) ->
                entry.put(door, (door.equals(Fleet.MANAGEMENT) ? "http://" : "tcp://") + address));
    return entry;
  }
}
