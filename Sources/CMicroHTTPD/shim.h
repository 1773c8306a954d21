#pragma once
#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

// MHD_start_daemon and MHD_get_connection_info are variadic, which Swift does not see.

typedef struct commute_mhd_settings {
  int listening_socket;
  unsigned int threads;
  unsigned int connection_limit;
  size_t connection_memory;
  void *context;
  MHD_AcceptPolicyCallback admits;
  MHD_AccessHandlerCallback handles;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection_changed;
  void *(*saw_target)(void *context, const char *target, struct MHD_Connection *connection);
} commute_mhd_settings;

static inline struct MHD_Daemon *commute_mhd_start(const commute_mhd_settings *settings) {
#ifdef __linux__
  unsigned int polling = MHD_USE_EPOLL_INTERNAL_THREAD;
#else
  unsigned int polling = MHD_USE_AUTO_INTERNAL_THREAD;
#endif
  // A pool of one thread is refused: it is then no pool.
  struct MHD_OptionItem pool[] = {
    { MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)settings->threads, NULL },
    { MHD_OPTION_END, 0, NULL },
  };
  struct MHD_OptionItem *more = settings->threads > 1 ? pool : pool + 1;
  return MHD_start_daemon(
    polling | MHD_ALLOW_SUSPEND_RESUME, 0, settings->admits, settings->context,
    settings->handles, settings->context,
    MHD_OPTION_LISTEN_SOCKET, settings->listening_socket,
    MHD_OPTION_CONNECTION_LIMIT, settings->connection_limit,
    MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory,
    MHD_OPTION_STRICT_FOR_CLIENT, 1,
    MHD_OPTION_NOTIFY_COMPLETED, settings->completed, settings->context,
    MHD_OPTION_NOTIFY_CONNECTION, settings->connection_changed, settings->context,
    MHD_OPTION_URI_LOG_CALLBACK, settings->saw_target, settings->context,
    MHD_OPTION_ARRAY, more, MHD_OPTION_END);
}

// What the application kept for the connection when it began.
static inline void *commute_mhd_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

static inline const struct sockaddr *commute_mhd_address(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

static inline int commute_mhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

// Bytes from the first of the request line to the end of the empty line.
static inline size_t commute_mhd_head_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

// Some versions of the header mark their enumerations as closed and some do not, and Swift gives
// the cases other names then: names of our own are the same everywhere.
static const enum MHD_Result commute_mhd_yes = MHD_YES;
static const enum MHD_Result commute_mhd_no = MHD_NO;
static const enum MHD_ValueKind commute_mhd_header = MHD_HEADER_KIND;
static const enum MHD_ConnectionNotificationCode commute_mhd_started =
  MHD_CONNECTION_NOTIFY_STARTED;

static inline struct MHD_Response *commute_mhd_copied_response(const void *bytes, size_t count) {
  return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}
