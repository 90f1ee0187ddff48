package io.kvmesh.cli;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Which workers can't be reached: by a controller, and from here. */
final class ReachChecks {

  private ReachChecks() {}

  /** What became of a controller's asking each worker how it is. */
  static List<Finding> byController(Survey survey) {
    List<Finding> found = new ArrayList<>();
    survey
        .asked()
        .forEach(
            (instance, command) -> {
              if (command.has("error")) {
                found.add(notAsked(survey, instance, command.path("error").asString()));
              }
              for (JsonNode worker : command.path("workers")) {
                asked(survey, instance, worker, found);
              }
            });
    return found;
  }

  private static Finding notAsked(Survey survey, String instance, String error) {
    return Finding.warning(
        instance,
        "%s did not ask it how it is: %s".formatted(survey.url(), error),
        "whether commands reach it isn't known",
        "run doctor again when other commands are over");
  }

  private static void asked(Survey survey, String instance, JsonNode outcome, List<Finding> found) {
    String name = instance + "/" + Table.text(outcome.path("rank"));
    String status = outcome.path("status").asString("RUNNING");
    int health = outcome.path("errorCode").asInt(0);
    if (status.equals("DONE") && health == 0) {
      return;
    }
    if (status.equals("DONE")) {
      found.add(
          Finding.trouble(
              name,
              "answers that it isn't well: code " + health,
              "it may refuse what it is asked for",
              "look into its log and its /actuator/health"));
      return;
    }
    found.add(
        Finding.trouble(
            name,
            "%s can't ask it at its control port %s: %s (%s)"
                .formatted(
                    survey.url(),
                    control(survey, name),
                    Text.words(status),
                    Table.text(outcome.path("error"))),
            "clear, pin, move and the others fail there; if its process is gone, it is offered to"
                + " others until it is silent",
            "start it if it is gone; else correct kvmesh.control.bind or"
                + " kvmesh.control.advertised-host (LMCache: lmcache_worker_ports), and let"
                + " controllers through to that port; with a key, see that both have the same"));
  }

  private static String control(Survey survey, String name) {
    return survey.workers().stream()
        .filter(worker -> Survey.name(worker).equals(name))
        .map(worker -> worker.path("announcement"))
        .filter(JsonNode::isObject)
        .map(it -> Table.text(it.path("ip")) + ":" + Table.text(it.path("port")))
        .findFirst()
        .orElse("(not told)");
  }

  /** A connection to each address that workers announce to their peers. */
  static List<Finding> fromHere(List<Survey> surveys, Duration timeout) {
    Map<String, String> peers = new LinkedHashMap<>();
    for (Survey survey : surveys) {
      for (JsonNode worker : survey.workers()) {
        String peer = worker.path("announcement").path("peerInitUrl").asString("");
        if (!peer.isEmpty()) {
          peers.putIfAbsent(Survey.name(worker), peer);
        }
      }
    }
    List<Finding> found = new ArrayList<>();
    peers.forEach((name, peer) -> connect(name, peer, timeout, found));
    return found;
  }

  private static void connect(String name, String peer, Duration timeout, List<Finding> found) {
    String address = peer.substring(peer.indexOf("://") < 0 ? 0 : peer.indexOf("://") + 3);
    int colon = address.lastIndexOf(':');
    try (Socket socket = new Socket()) {
      int port = Integer.parseInt(address.substring(colon + 1));
      String host = address.substring(0, Math.max(colon, 0));
      socket.connect(new InetSocketAddress(host, port), (int) timeout.toMillis());
    } catch (ConnectException e) {
      found.add(
          Finding.trouble(
              name,
              "nothing listens at its peer address " + peer,
              "others pull nothing from it: what they expect there ends as a miss",
              "start it if it is gone; else correct kvmesh.peer.init-bind or"
                  + " kvmesh.peer.advertised-host (LMCache: p2p_host, p2p_init_ports)"));
    } catch (IOException | IllegalArgumentException e) {
      found.add(noWay(name, peer, e));
    }
  }

  private static Finding noWay(String name, String peer, Exception e) {
    return Finding.warning(
        name,
        "its peer address %s can't be reached from here: %s".formatted(peer, e.getMessage()),
        "if it is the same for other workers, they pull nothing from it",
        "run doctor where workers run, or with --no-connect; let workers through to each other's"
            + " 8200 and 8201, and correct kvmesh.peer.advertised-host");
  }
}
