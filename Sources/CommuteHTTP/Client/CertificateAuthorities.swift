#if canImport(Darwin)
  import Foundation

  /// The authorities of a file in the PEM format, and nobody else.
  ///
  /// Not compiled on Linux; see ``URLSessionClient``.
  ///
  /// `@unchecked Sendable`: the certificates are immutable objects of the system.
  final class CertificateAuthorities: @unchecked Sendable {
    private let file: String
    private let certificates: [SecCertificate]

    init(file: String) {
      self.file = file
      let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
      certificates = text.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst()
        .compactMap { part in
          let base64 = part.components(separatedBy: "-----END CERTIFICATE-----")[0]
          guard let bytes = Data(base64Encoded: base64, options: .ignoreUnknownCharacters) else {
            return nil
          }
          return SecCertificateCreateWithData(nil, bytes as CFData)
        }
    }

    /// Why these authorities do not vouch for a server; nil where they do.
    func flaw(in trust: SecTrust) -> String? {
      guard !certificates.isEmpty else { return "\(file) is not a readable file of authorities" }
      SecTrustSetAnchorCertificates(trust, certificates as CFArray)
      SecTrustSetAnchorCertificatesOnly(trust, true)
      var error: CFError?
      guard !SecTrustEvaluateWithError(trust, &error) else { return nil }
      return error.map { CFErrorCopyDescription($0) as String } ?? "it is not trusted"
    }
  }
#endif
