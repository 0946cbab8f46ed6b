/** Where a process keeps what its jobs and files hold. */
package io.sluice.memory.store;
