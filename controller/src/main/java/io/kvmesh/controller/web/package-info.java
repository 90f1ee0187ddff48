/** REST resources under /api/v1 and their errors. */
@NullMarked
package io.kvmesh.controller.web;

import org.jspecify.annotations.NullMarked;
