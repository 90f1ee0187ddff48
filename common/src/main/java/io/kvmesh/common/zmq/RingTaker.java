package io.kvmesh.common.zmq;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import zmq.SocketBase;

/**
 * Takes the ring of a socket that has rung for nothing, as JeroMQ does itself where it waits for
 * one socket. One thread.
 *
 * <p>JeroMQ puts a command into a socket's mailbox, rings, and counts the ring last. Who waits for
 * several sockets is woken by the ring; early, it gets the command, but can't take the ring before
 * it is counted. It would be woken again and again, and keep the ringer from the processor. JeroMQ
 * has no call for that, so this one is found by its name, in the versions whose Signaler has it.
 */
final class RingTaker {

  private final @Nullable MethodHandle signalerRecv;

  RingTaker(SocketBase socket) {
    this.signalerRecv = find(socket);
  }

  private static @Nullable MethodHandle find(SocketBase socket) {
    try {
      Object mailbox = get(SocketBase.class.getDeclaredField("mailbox"), socket);
      Object signaler = get(mailbox.getClass().getDeclaredField("signaler"), mailbox);
      Method recv = accessible(signaler.getClass().getDeclaredMethod("recv"));
      return MethodHandles.lookup().unreflect(recv).bindTo(signaler);
    } catch (ReflectiveOperationException | RuntimeException another) {
      return null;
    }
  }

  private static Object get(Field field, Object holder) throws IllegalAccessException {
    return accessible(field).get(holder);
  }

  private static <T extends AccessibleObject> T accessible(T member) {
    member.setAccessible(true);
    return member;
  }

  /** Whether this version of JeroMQ lets a ring be taken. */
  boolean canTake() {
    return signalerRecv != null;
  }

  /** Only while there is a ring: it would wait for one. Lets the ringer go on if it can't take. */
  @SuppressWarnings("ThreadPriorityCheck")
  void take() {
    if (signalerRecv == null) {
      Thread.yield();
      return;
    }
    try {
      signalerRecv.invoke();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable checked) {
      throw new IllegalStateException(checked);
    }
  }
}
