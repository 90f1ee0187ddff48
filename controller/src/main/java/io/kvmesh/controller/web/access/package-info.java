/** Who may ask what over REST: tokens, roles and the paths that need them. */
@NullMarked
package io.kvmesh.controller.web.access;

import org.jspecify.annotations.NullMarked;
