/** What this controller lately saw, kept to be looked at. */
@NullMarked
package io.kvmesh.controller.trail;

import org.jspecify.annotations.NullMarked;
