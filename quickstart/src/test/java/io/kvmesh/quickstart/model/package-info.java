/** What a replay must give, worked out without the system. */
@NullMarked
package io.kvmesh.quickstart.model;

import org.jspecify.annotations.NullMarked;
