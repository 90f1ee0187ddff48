/** The door for the controller's commands. */
@NullMarked
package io.kvmesh.agent.control;

import org.jspecify.annotations.NullMarked;
