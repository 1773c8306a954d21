#if os(Linux)
  internal import CCurl
  import Glibc

  /// What libcurl says about a transfer that failed.
  struct CurlFailure {
    let code: CURLcode
    /// libcurl's own words.
    let text: String
    /// The system's error number, where it was a call of the system that failed.
    let systemError: Int
    /// Whether any byte of an answer had come.
    let hasAnswerBegun: Bool

    /// The same, by what the caller does next.
    func error(at address: Address, _ settings: HTTPClientSettings) -> HTTPClientError {
      switch code {
      case CURLE_URL_MALFORMAT:
        .badAddress(reason: "the address is not one of the web")
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
        .noNetwork(.unknownHost)
      case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED:
        .noNetwork(connectFailure)
      case CURLE_OPERATION_TIMEDOUT:
        .timedOut
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
        .badCertificate(reason: certificateReason, host: address.hostAndPort)
      case CURLE_SSL_CACERT_BADFILE:
        .badCertificate(reason: authorityFileReason(settings), host: address.hostAndPort)
      case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT:
        .noNetwork(.outOfResources)
      case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
        hasAnswerBegun
          ? .notAnAnswer(reason: "it breaks off") : .noNetwork(.connectionLost)
      case CURLE_PARTIAL_FILE:
        .notAnAnswer(reason: "it breaks off in the body")
      case CURLE_WRITE_ERROR:
        .notAnAnswer(reason: "its head has more than \(AnswerHead.limit) bytes")
      case CURLE_SSL_CONNECT_ERROR:
        .notAnAnswer(reason: "the server does not speak TLS as it should")
      default:
        .notAnAnswer(reason: firstLine)
      }
    }

    private var connectFailure: NetworkFailure {
      switch Int32(truncatingIfNeeded: systemError) {
      case ECONNREFUSED: .refused
      case EMFILE, ENFILE, EADDRNOTAVAIL, ENOBUFS, ENOMEM: .outOfResources
      default: .unreachable
      }
    }

    /// libcurl's words behind its own introduction, which every message of the kind shares.
    private var certificateReason: String {
      let introduction = "SSL certificate problem: "
      return firstLine.hasPrefix(introduction)
        ? String(firstLine.dropFirst(introduction.count)) : firstLine
    }

    private func authorityFileReason(_ settings: HTTPClientSettings) -> String {
      guard let file = settings.certificateAuthorityFile else {
        return "this system has no readable list of authorities"
      }
      return "\(file) is not a readable file of authorities"
    }

    private var firstLine: String {
      let words = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
      return String(words.prefix { !$0.isNewline })
    }
  }
#endif
